import type { Random } from '../world/random.js';

/** Letters from all over UTF-8, among them some that UTF-16 orders differently. */
const letters = ['a', 'b', 'c', 'd', '0', '1', ' ', '+', 'é', '\uff5e', '\ufffd', '\u{1f600}', '\u{10000}'];

/** Draws a bucket's keys, about so many: shallow or deep, dense or sparse, with a shared beginning or without. */
export function drawKeys(random: Random, wanted: number): string[] {
  const few = random.chance(0.5) ? letters.slice(0, 4) : letters;
  const stem = random.pick(['', '', 'x/', 'a/b/']);
  const keys = new Set<string>();
  for (let tries = 0; keys.size < wanted && tries < 4 * wanted; tries++) {
    let key = stem;
    const length = random.whole(1, 4);
    for (let index = 0; index < length; index++) key += random.chance(0.15) ? '/' : random.pick(few);
    keys.add(key);
  }
  return [...keys];
}
