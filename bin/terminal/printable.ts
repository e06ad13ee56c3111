/**
 * Text from outside (keys, owners, names) as it may go to a terminal: control characters, and those that turn the
 * direction of writing, are escaped, so that a key can't clear the screen or pose as another.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
  });
}

const minWidth = 16;

/** A key as it may go to a terminal, cut in the middle if it is longer than `width`: both ends tell it apart. */
export function formatKey(key: string, width: number): string {
  const characters = [...printable(key)];
  const most = Math.max(minWidth, width);
  if (characters.length <= most) return characters.join('');
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${characters.slice(0, head).join('')}…${characters.slice(-tail).join('')}`;
}
