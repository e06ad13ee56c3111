import { printable } from '../../cli/printable.js';

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
