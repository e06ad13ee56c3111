import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys, isLegalCut, isWithin } from '../../../lib/scan/keys/key-order.js';

import { slicesOfCuts } from '../../../lib/scan/slices/slice-creation.js';
import { checkProperty } from '../../support/property.js';
import { inByteOrder } from '../../support/scan/listed-keys.js';
import { cutsFor } from '../../support/scan/planning.js';

/** Characters from all over UTF-8, those among them that may not stand in an invented cut. */
const character = fc.constantFrom(
  ...['a', 'b', 'z', '0', '9', '/', '/', ' ', '+', '%', '~', '\u0001', '\u007f'],
  ...[
    'é',
    '\ud7ff',
    '\ue000',
    '\uff5e',
    '\ufffd',
    '\uffff',
    '\u{10000}',
    '\u{1f600}',
    '\u{10fffd}',
    '\u{10ffff}',
  ],
);
const text = fc.array(character, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const prefix = fc.constantFrom('', 'a/', 'é%', '\u{1f600}/');
/** Sparse, dense, with common beginnings; some equal to the prefix or outside of it. */
const layout = fc.record({
  prefix,
  stem: fc.constantFrom('', '', 'a', 'x/y/', '\u{10ffff}'),
  inside: fc.array(text, { maxLength: 30 }),
  outside: fc.array(text, { maxLength: 3 }),
  hasPrefixItself: fc.boolean(),
  wanted: fc.integer({ min: 1, max: 12 }),
  pageSize: fc.integer({ min: 1, max: 8 }),
});

describe('the plan of any bucket', () => {
  it('tiles the key space with cuts in order, legal or seen, for at most three requests a slice', async () => {
    await checkProperty(
      fc.asyncProperty(layout, fc.array(text, { maxLength: 3 }), async (given, ownCuts) => {
        const { prefix, wanted, pageSize } = given;
        const inside = given.inside.map((key) => `${prefix}${given.stem}${key}`);
        const keys = [
          ...inside,
          ...given.outside,
          ...(given.hasPrefixItself && prefix !== '' ? [prefix] : []),
        ];
        const byHand = ownCuts.map((cut, index) => (index % 2 === 0 ? prefix + cut : cut));
        const { cuts, emptyAfter, bucket } = await cutsFor(wanted, { keys, prefix, pageSize }, byHand);

        if (bucket.asked.length > 3 * wanted) throw new Error(`${bucket.asked.length} requests`);
        for (const { Prefix, Delimiter } of bucket.asked) {
          // A role may have been given no more than the prefix.
          const isAllowed = Delimiter ? Prefix.startsWith(prefix) : Prefix === prefix;
          if (!isAllowed) throw new Error(`asked for ${Prefix}`);
        }
        const scanned = new Set(keys.filter((key) => key.startsWith(prefix)));
        for (const [index, cut] of cuts.entries()) {
          if (index > 0 && compareKeys(cuts[index - 1]!, cut) !== -1) throw new Error('out of order');
          if (!cut.startsWith(prefix)) throw new Error(`${cut} lies outside`);
          const isKnown = scanned.has(cut) || byHand.includes(cut);
          if (!isKnown && !isLegalCut(cut, prefix)) throw new Error(`invented ${JSON.stringify(cut)}`);
        }
        if (cuts.length > Math.max(wanted - 1, 3) + byHand.length) throw new Error(`${cuts.length} cuts`);
        // It is a hint and no bound: keys at or above the top character may hide others from the planner.
        const mayHintBeWrong = keys.some((key) => /[\u{10fffd}-\u{10ffff}]/u.test(key));
        const slices = slicesOfCuts(cuts, emptyAfter);
        for (const key of scanned) {
          const owners = slices.filter(({ lo, hi }) => isWithin(key, lo, hi)).length;
          if (owners !== 1) throw new Error(`${key} lies in ${owners} slices`);
          const isAbove = emptyAfter !== undefined && compareKeys(key, emptyAfter) > 0;
          if (isAbove && !mayHintBeWrong) throw new Error(`${key} lies above the hint`);
        }
        expect(inByteOrder(cuts)).toEqual(cuts);
      }),
    );
  });
});
