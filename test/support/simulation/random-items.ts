import fc from 'fast-check';
import { leaseFormat } from '../../../lib/lease/lease-item.js';

const ids = fc.constantFrom('mine', 'other', 'third', '');
const times = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(1.9e12, Number.MAX_SAFE_INTEGER));
const keys = fc.constantFrom('a', 'b', 'é', '\uff5e', '\u{1f600}', 'a/b');
const odd = fc.oneof(fc.boolean(), fc.constant(null), fc.constant([1, 'x']), fc.constant({ x: 1 }));
const mostly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });

/** Items as we write them, and as others might have: attributes missing, or of another type. */
export const randomItem = fc.record(
  {
    // Ours, for the most part: all other items are refused alike.
    format: fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>(leaseFormat) },
      { weight: 1, arbitrary: odd },
    ),
    version: mostly(times),
    leaseId: mostly(ids.filter((id) => id !== '')),
    owner: mostly(ids),
    expiresAt: mostly(times),
    acquiredAt: mostly(times),
    renewals: mostly(fc.nat(5)),
    lastLeaseId: mostly(ids),
    completedAt: mostly(times),
    ttl: times,
    checkpoint: fc.oneof(
      fc.integer(),
      fc.string(),
      fc.record({ page: fc.nat(), keys: fc.array(fc.string()) }),
      odd,
    ),
    freeFrom: mostly(times),
    tickets: fc.array(ids, { maxLength: 4 }),
    hi: mostly(keys),
    claimed: mostly(keys),
    progress: mostly(fc.nat(5)),
    attempts: mostly(fc.nat(6)),
    rounds: fc.nat(3),
    child: fc.oneof(fc.record({ id: ids, lo: keys }), odd),
  },
  { requiredKeys: ['format'] },
);
