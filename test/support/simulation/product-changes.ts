import fc from 'fast-check';
import { hasToken, isCurrent, isOurs, lengthens, mayBeGranted } from '../../../lib/lease/conditions.js';
import { isCompleted, isUnrenewed } from '../../../lib/lease/later-conditions.js';
import { leaseFormat } from '../../../lib/lease/lease-item.js';
import { childIs, claimable, completable, takeable } from '../../../lib/scan/slices/scan-conditions.js';
import type { Condition, ItemChange } from '../../../lib/table/index.js';

const ids = fc.constantFrom('mine', 'other', 'third');
const times = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(1.9e12));
const keys = fc.constantFrom('a', 'b', 'é', '\uff5e', '\u{1f600}', 'a/b');
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** What the conditions on a lease compare with. */
const values = fc.record({
  ':leaseId': ids,
  ':seenLeaseId': ids,
  ':token': times,
  ':takeoverBefore': times,
  ':expiredBefore': times,
  ':newExpiresAt': times,
  ':format': fc.constant(leaseFormat),
});

/** With the values that it uses: DynamoDB refuses others. */
function filled(text: string, given: Readonly<Record<string, unknown>>): Condition {
  const used = new Set(text.match(/:\w+/g));
  return { text, values: Object.fromEntries(Object.entries(given).filter(([name]) => used.has(name))) };
}

/** Every condition that the product writes. */
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(values, fc.boolean(), fc.boolean()).map(([given, ...traits]) => {
    return filled(mayBeGranted(...traits), given);
  }),
  ...[isCurrent, hasToken, lengthens, `${isCurrent} AND ${lengthens}`, isOurs].map((text) =>
    values.map((given) => filled(text, given)),
  ),
  times.map((at) => isCompleted(at)),
  fc.tuple(times, times).map(([token, expiresAt]) => isUnrenewed(token, expiresAt)),
  maybe(times).map(takeable),
  fc.tuple(maybe(keys), keys).map(([hi, next]) => claimable(hi, { next, known: undefined })),
  maybe(keys).map(completable),
  ids.map(childIs),
  fc.constant({ text: 'attribute_not_exists(#name)' }),
  ids.map((id) => ({ text: 'NOT contains(#tickets, :ticket)', values: { ':ticket': id } })),
  fc.nat({ max: 4 }).map((most) => ({ text: 'size(#tickets) < :most', values: { ':most': most } })),
  fc.tuple(fc.nat({ max: 2 }), ids).map(([place, id]) => ({
    text: `#tickets[${place}] = :ticket`,
    values: { ':ticket': id },
  })),
);

/** What it writes under them. */
const write: fc.Arbitrary<ItemChange> = fc.oneof(
  fc.record({ set: fc.record({ leaseId: ids, owner: ids, expiresAt: times, renewals: fc.constant(0) }) }),
  fc.tuple(times, times).map(([token, expiresAt]) => ({
    set: { expiresAt },
    compute: { version: { text: ':token', values: { ':token': token } } },
  })),
  times.map((expiresAt) => ({
    set: { expiresAt },
    compute: { renewals: { text: '#renewals + :one', values: { ':one': 1 } } },
  })),
  ids.map((lastLeaseId) => ({
    set: { lastLeaseId },
    remove: ['leaseId', 'owner', 'expiresAt', 'leaseMs', 'acquiredAt', 'renewals'],
  })),
  ids.map((lastLeaseId) => ({
    set: { lastLeaseId },
    compute: {
      freeFrom: {
        text: 'if_not_exists(#acquiredAt, :now) + :minHoldMs',
        values: { ':now': 7, ':minHoldMs': 5 },
      },
    },
    remove: ['leaseId', 'expiresAt', 'acquiredAt'],
  })),
  fc.constant({ set: { ttl: 7 }, remove: ['completedAt', 'result'] }),
  fc.constant({ remove: ['child'] }),
  ids.map((id) => ({
    compute: {
      tickets: {
        text: 'list_append(if_not_exists(#tickets, :none), :mine)',
        values: { ':none': [], ':mine': [id] },
      },
    },
  })),
  fc.constant({
    set: { claimed: 'b' },
    compute: {
      attempts: { text: 'if_not_exists(#attempts, :zero) + :one', values: { ':zero': 0, ':one': 1 } },
    },
  }),
);

/** One of the product's conditional writes, parts and all. */
export const randomChange: fc.Arbitrary<ItemChange> = fc
  .tuple(write, condition)
  .map(([change, demanded]) => ({ ...change, condition: demanded }));
