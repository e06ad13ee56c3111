import { compareKeys } from './key-order.js';

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
