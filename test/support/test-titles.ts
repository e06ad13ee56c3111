import { readFileSync } from 'node:fs';

/**
 * Tells whether a test of a file may bear a title: as a text of its own, or made of a template and texts that fill it.
 * Good enough to notice that a test was renamed or taken out, without loading it.
 *
 * @param path of a test file
 */
export function bearsTitle(path: string, title: string): boolean {
  const texts = literalsOf(readFileSync(path, 'utf8'));
  if (texts.includes(title)) return true;
  return texts.some((text) => {
    const fixed = text.split(/\$\{[^{}]*\}|%[sdifjo#]|\$\w+/);
    if (fixed.length < 2 || !/\w{3}/.test(fixed.join(''))) return false;
    const pattern = fixed.map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('(.*)');
    const filled = new RegExp(`^${pattern}$`, 's').exec(title);
    return filled?.slice(1).every((part) => texts.some((other) => other.includes(part))) ?? false;
  });
}

/** The texts in quotes, with their escapes resolved as far as titles need. */
function literalsOf(source: string): readonly string[] {
  const literal = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  return [...source.matchAll(literal)].map(([, a, b, c]) => (a ?? b ?? c ?? '').replace(/\\(.)/g, '$1'));
}
