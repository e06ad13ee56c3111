/** What `test.each` fills in: `%s` and its kind, and `$name`. `%%` is a percent sign. */
const placeholder = /%[sdifjoOc#$]|%%|\$\w[\w.]*/g;

/**
 * Finds the tests of a title as it stands in the sources.
 *
 * @param title of one test, or of `test.each`, with its placeholders
 * @returns the source of a pattern for the titles that a runner tells, whatever stands for each placeholder
 */
export function titlePattern(title: string): string {
  const between = title.split(placeholder).map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const filled = title.match(placeholder) ?? [];
  return between.reduce((before, text, i) => before + (filled[i - 1] === '%%' ? '%' : '[^]*') + text);
}

/** Whether a runner's title is that of the test, or one of its rows. */
export function isTitled(told: string, title: string): boolean {
  return new RegExp(`^${titlePattern(title)}$`).test(told);
}
