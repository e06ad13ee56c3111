import { describe, expect, it } from 'vitest';
import {
  childIs,
  claimable,
  completable,
  maxAttempts,
  splittable,
  takeable,
} from '../../../lib/scan/slices/scan-conditions.js';
import type { Condition } from '../../../lib/table/index.js';
import { type Item, simulatedTable } from '../../support/simulated-table.js';

const name = 'scan/run/000000';
const child = { child: { M: { id: { S: 'c1' }, lo: { S: 'm' } } } };
const hi = { hi: { S: 't' } };
const claimed = { claimed: { S: 'g' } };

/** Whether a write under the condition is applied to a slice with these attributes; `undefined`: nothing is there. */
async function isApplied(condition: Condition, item: Item | undefined): Promise<boolean> {
  const { context, put } = simulatedTable();
  if (item) await put({ name: { S: name }, progress: { M: {} }, ...item });
  return (await context.table.update(name, { set: { seen: true }, condition })).applied;
}

type Row = readonly [what: string, condition: Condition, item: Item | undefined, applied: boolean];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'a slice is taken': [
    ['that is there', takeable(), {}, true],
    ['never where TTL has removed it', takeable(), undefined, false],
    ['after three grants without progress', takeable(), { attempts: { N: String(maxAttempts - 1) } }, true],
    ['not after four', takeable(), { attempts: { N: String(maxAttempts) } }, false],
    ['from an earlier instance of this seat', takeable(500), { acquiredAt: { N: '500' } }, true],
    ['from nobody', takeable(500), {}, true],
    ['not from a later instance', takeable(500), { acquiredAt: { N: '501' } }, false],
    ['not where TTL has removed it, by an instance either', takeable(500), undefined, false],
  ],
  'a page is claimed': [
    ['the first one', claimable(undefined, { next: 'k', known: undefined }), {}, true],
    ['behind the claim before', claimable(undefined, { next: 'k', known: undefined }), claimed, true],
    ['again, as it stands there', claimable(undefined, { next: 'g', known: undefined }), claimed, true],
    ['never in front of it', claimable(undefined, { next: 'f', known: undefined }), claimed, false],
    [
      'where the engine’s order is another, and the holder knows better',
      claimable(undefined, { next: 'f', known: 'g' }),
      claimed,
      true,
    ],
    ['not on what the holder does not know', claimable(undefined, { next: 'f', known: 'e' }), claimed, false],
    ['below the end that is known', claimable('t', { next: 'k', known: undefined }), hi, true],
    ['not below another end', claimable('z', { next: 'k', known: undefined }), hi, false],
    ['not below an end that is new', claimable(undefined, { next: 'k', known: undefined }), hi, false],
    ['not without an end that is known', claimable('t', { next: 'k', known: undefined }), {}, false],
  ],
  'a slice is completed': [
    ['with the end that is known', completable('t'), hi, true],
    ['without one', completable(undefined), {}, true],
    ['not with another', completable('z'), hi, false],
    ['not with a new one', completable(undefined), hi, false],
    ['never while its child is not made', completable('t'), { ...hi, ...child }, false],
    ['never while its child is not made, whatever its end', completable(undefined), child, false],
  ],
  'a slice is split': [
    ['above what is claimed', splittable(undefined, 'm'), claimed, true],
    ['where nothing is claimed', splittable(undefined, 'm'), {}, true],
    ['not at what is claimed', splittable(undefined, 'g'), claimed, false],
    ['not below what is claimed', splittable(undefined, 'f'), claimed, false],
    ['with the end that is known', splittable('t', 'm'), hi, true],
    ['not with another', splittable('z', 'm'), hi, false],
    ['not with a new one', splittable(undefined, 'm'), hi, false],
    ['not while its child is not made', splittable('t', 'm'), { ...hi, ...child }, false],
    ['not when it is done', splittable(undefined, 'm'), { completedAt: { N: '1' } }, false],
    ['never where TTL has removed it', splittable(undefined, 'm'), undefined, false],
  ],
  'the note of a child is cleared': [
    ['by who has made this one', childIs('c1'), child, true],
    ['not by who has made an earlier one', childIs('c0'), child, false],
    ['not where there is none', childIs('c1'), {}, false],
  ],
};

describe.each(Object.entries(rows))('%s', (_, own) => {
  it.each(own)('as its condition says: %s', async (_what, condition, item, applied) => {
    expect(await isApplied(condition, item)).toBe(applied);
  });
});
