import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { leaseFormat } from '../../../lib/lease/index.js';
import type { Item } from '../simulated-table.js';

/** Leases that have run out long ago, that have not, and that end within the skew: around this. */
export function timesAround(nowMs: number): fc.Arbitrary<number> {
  const near = fc.integer({ min: nowMs - 2_000, max: nowMs + 2_000 });
  return fc.oneof(near, near, fc.constantFrom(0, 1, -1, 1.5, nowMs - 86_400_000, nowMs + 86_400_000));
}

const numberText = (values: fc.Arbitrary<number>) =>
  values.map((value): AttributeValue => ({ N: String(value) }));

/** Numbers that DynamoDB can hold and JavaScript can't, or not exactly. */
const strangeNumber = fc.constantFrom<AttributeValue>(
  ...['12345678901234567890', '-12345678901234567890', '9007199254740993', '-9007199254740993'].map((N) => ({
    N,
  })),
  ...['1e100', '-1e100', '9007199254740991', '9007199254740990'].map((N) => ({
    N,
  })),
);

/** What somebody else may keep under any name. */
const anything: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.string({ maxLength: 4 }).map((S): AttributeValue => ({ S: `x${S}` })),
  numberText(fc.integer()),
  strangeNumber,
  fc.constantFrom<AttributeValue>(
    { BOOL: true },
    { NULL: true },
    { L: [{ N: '1' }] },
    { L: [] },
    { M: { S: { S: 'a map that looks like a string' } } },
    { M: {} },
    { B: new Uint8Array([1, 2]) },
    { SS: ['a'] },
    { NS: ['1', '2'] },
  ),
);

const ids = fc.constantFrom('mine', 'seen', 'other').map((S): AttributeValue => ({ S }));
const mostly = (usual: fc.Arbitrary<AttributeValue>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: anything });

/** Items as we write them, and as others might have: attributes missing, of another type, or out of all bounds. */
export function anyItem(nowMs: number): fc.Arbitrary<Item> {
  const times = numberText(timesAround(nowMs));
  const lease = fc.record({ leaseId: mostly(ids), expiresAt: mostly(times) });
  const half = fc.record({ leaseId: mostly(ids), expiresAt: mostly(times) }, { requiredKeys: [] });
  const rest = fc.record(
    {
      owner: mostly(ids),
      acquiredAt: mostly(times),
      lastLeaseId: mostly(ids),
      completedAt: mostly(times),
      freeFrom: mostly(times),
      leaseMs: mostly(times),
      renewals: mostly(times),
      checkpoint: anything,
      LeaseId: anything,
      payload: anything,
    },
    { requiredKeys: ['owner'] },
  );
  // The last token lies behind, or ahead of this clock, or where there is no next one.
  const tokens = fc.oneof(
    fc.nat(),
    fc.integer({ min: nowMs - 5, max: nowMs + 5 }),
    fc.constant(Number.MAX_SAFE_INTEGER - 1),
  );
  const version = fc.oneof(
    { weight: 12, arbitrary: fc.record({ version: mostly(numberText(tokens)) }) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  const format = fc.oneof(
    { weight: 8, arbitrary: fc.constant<Item>({ format: { S: leaseFormat } }) },
    { weight: 1, arbitrary: fc.constant<Item>({}) },
    { weight: 1, arbitrary: anything.map((value): Item => ({ format: value })) },
  );
  const held = fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    { weight: 6, arbitrary: lease },
    { weight: 1, arbitrary: half },
  );
  return fc.tuple(format, version, held, rest, fc.boolean(), fc.integer({ min: 0, max: 3 })).map(
    ([f, a, b, { completedAt, freeFrom, ...c }, isCompleted, hasTime]) =>
      ({
        ...{ ...f, ...a, ...b, ...c },
        ...(isCompleted && completedAt && { completedAt }),
        ...(hasTime === 0 && freeFrom && { freeFrom }),
      }) as Item,
  );
}

/** Whether it bears our mark: the protocol's section 1, apart from the code. */
export function isOurs(item: Item): boolean {
  return item.format?.S === 'leasehold/1';
}

/** Whether all that decisions rest on is as we write it. */
export function isSound(item: Item): boolean {
  const is = (attribute: string, type: 'S' | 'N', isRight: (value: number) => boolean) => {
    const value = item[attribute];
    if (value === undefined) return true;
    return type === 'S' ? value.S !== undefined : value.N !== undefined && isRight(Number(value.N));
  };
  const isTime = (value: number) => Math.abs(value) < 8.64e15;
  const isToken = (value: number) => Number.isInteger(value) && Math.abs(value) < 2 ** 53 - 1;
  return (
    isOurs(item) &&
    item.version !== undefined &&
    is('version', 'N', isToken) &&
    ['leaseId', 'owner', 'lastLeaseId'].every((attribute) => is(attribute, 'S', isTime)) &&
    ['expiresAt', 'acquiredAt', 'freeFrom', 'completedAt'].every((attribute) => is(attribute, 'N', isTime)) &&
    (item.leaseId === undefined) === (item.expiresAt === undefined)
  );
}

/** What a superseder has been shown, if it is one. */
export const anySeen = fc.constantFrom(undefined, undefined, 'seen');
