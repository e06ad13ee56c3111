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

/** S3 keys have at most this many bytes of UTF-8. */
export const maxKeyBytes = 1024;

/** Above every key that begins with the text before it, and still a character that all parsers take. */
export const topCharacter = '\u{10FFFD}';

/** Control characters, lone surrogates, non-characters and `%`: what some S3 on the way mangles. */
const forbidden = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}%]/u;

/** Whether a character may stand in an invented cut. */
export function isLegalCharacter(character: string): boolean {
  return !forbidden.test(character);
}

/**
 * Whether a cut that nobody has seen as a key may be sent to S3 (scan page, "Slices").
 *
 * @param prefix the user's own: it goes with every request anyway and is not judged
 */
export function isLegalCut(cut: string, prefix: string): boolean {
  const invented = cut.startsWith(prefix) ? cut.slice(prefix.length) : cut;
  return invented !== '' && !forbidden.test(invented) && Buffer.byteLength(cut) <= maxKeyBytes;
}

/**
 * The shortest string that separates a key from what lies before it: `before <= cut < key`.
 *
 * @param before everything known to lie before the key; itself a legal boundary
 * @param prefix the user's own
 * @returns a beginning of `key`, or `before` where none separates the two
 */
export function separatingCut(before: string, key: string, prefix: string): string {
  let cut = '';
  // By whole characters: a cut never splits a surrogate pair.
  for (const character of key) {
    cut += character;
    if (cut.length >= key.length) break;
    if (compareKeys(before, cut) <= 0) return isLegalCut(cut, prefix) ? cut : before;
  }
  return before;
}
