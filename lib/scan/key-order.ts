/**
 * The one order of keys: by UTF-8 bytes, as S3 lists and DynamoDB compares them. JavaScript's `<` orders by
 * UTF-16 units, which is wrong above U+FFFF. Allocates nothing.
 *
 * A lone surrogate has no UTF-8 and counts as U+FFFD, as `Buffer.from` writes it.
 *
 * @returns -1, 0 or 1, as a sort function (scan page, "Slices")
 */
export function compareKeys(a: string, b: string): -1 | 0 | 1 {
  const common = Math.min(a.length, b.length);
  let index = 0;
  while (index < common && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  if (index === a.length && index === b.length) return 0;
  // The difference may lie in the second half of a pair: the pair as a whole decides.
  if (index > 0 && isHighSurrogate(a.charCodeAt(index - 1))) index--;
  return compareFrom(a, b, index);
}

/** Whether `key` lies in the slice `(lo, hi]`; an absent bound is open. */
export function isWithin(key: string, lo: string | undefined, hi: string | undefined): boolean {
  return (lo === undefined || compareKeys(key, lo) > 0) && (hi === undefined || compareKeys(key, hi) <= 0);
}

/** The later of two keys, either of which may be absent. */
export function laterKey(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareKeys(a, b) >= 0 ? a : b;
}

function compareFrom(a: string, b: string, start: number): -1 | 0 | 1 {
  let atA = start;
  let atB = start;
  // Code points order as their UTF-8 does.
  while (atA < a.length && atB < b.length) {
    const pointA = codePoint(a, atA);
    const pointB = codePoint(b, atB);
    if (pointA !== pointB) return pointA < pointB ? -1 : 1;
    atA += unitsAt(a, atA);
    atB += unitsAt(b, atB);
  }
  if (atA < a.length) return 1;
  return atB < b.length ? -1 : 0;
}

function codePoint(text: string, index: number): number {
  const point = text.codePointAt(index)!;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}

function unitsAt(text: string, index: number): 1 | 2 {
  return text.codePointAt(index)! > 0xffff ? 2 : 1;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
