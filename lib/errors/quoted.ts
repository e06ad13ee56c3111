/** A value as a message quotes it: in one line, cut where it is long. Never an error of its own, whatever the value is. */
export function quoted(value: unknown): string {
  const text = inOneLine(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function inOneLine(value: unknown): string {
  // JSON has no word for these: it would make `null` of a number that is none.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // It refers to itself, is nested too deep, or throws.
    return `a ${typeof value}`;
  }
}
