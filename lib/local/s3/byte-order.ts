/**
 * Compares two strings by their UTF-8 bytes, as S3 orders keys. UTF-16's order differs: there surrogates, which
 * stand for characters above U+FFFF, come before U+E000 to U+FFFF.
 *
 * @returns negative, zero or positive, as `Array.prototype.sort` wants it.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return aboveSurrogates(x) - aboveSurrogates(y);
  }
  return a.length - b.length;
}

/** Sorts in place by UTF-8 bytes. */
export function sortByBytes(names: string[]): string[] {
  // Below the surrogates both orders are one, and the built-in sort is several times as fast.
  return names.some((name) => /[\ud800-\uffff]/.test(name)) ? names.sort(compareBytes) : names.sort();
}

// Moves the surrogates behind all other code units, and those that were behind them down.
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
