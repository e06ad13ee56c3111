/**
 * The one order of keys: by UTF-8 bytes, as S3 lists and DynamoDB compares them. JavaScript's `<` orders by
 * UTF-16 units, which is wrong above U+FFFF. Allocates nothing.
 *
 * A lone surrogate has no UTF-8 and counts as U+FFFD, as `Buffer.from` writes it.
 *
 * @returns -1, 0 or 1, as a sort function (scan page, "Slices")
 */
export function compareKeys(a: string, b: string): -1 | 0 | 1 {
  // Code points order as their UTF-8 does. The second half of a pair is looked at again, and is the same in both.
  for (let index = 0; ; index++) {
    const pointA = codePoint(a, index);
    const pointB = codePoint(b, index);
    if (pointA !== pointB) return pointA < pointB ? -1 : 1;
    if (pointA === theEnd) return 0;
  }
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

/** Before all characters: a key comes before those that it begins. */
const theEnd = -1;

function codePoint(text: string, index: number): number {
  const point = text.codePointAt(index) ?? theEnd;
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
}
