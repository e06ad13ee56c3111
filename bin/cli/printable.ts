/**
 * Text from outside (keys, owners, names) as it may go to a terminal: control characters, and those that turn the
 * direction of writing, are escaped, so that a key can't clear the screen or pose as another.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
}
