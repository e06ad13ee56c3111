import { expect, it } from 'vitest';
import { StoreClock } from '../../../lib/clock/store-clock.js';
import { toStoreError, toTableFailure } from '../../../lib/table/store-errors.js';
import { HandClocks } from '../../support/hand-clocks.js';

const named = (name: string, message = name) => Object.assign(new Error(message), { name });

it.each<[string, object, string]>([
  ['none', {}, ''],
  ['one without a Region', { config: {} }, ''],
  ['one whose Region can’t be found', { config: { region: () => Promise.reject(new Error('none')) } }, ''],
  ['one with a Region', { config: { region: async () => 'eu-west-1' } }, ' (eu-west-1)'],
])(
  'a table that is not there, of a client %s: where it was looked for, if that is known',
  async (_, client, where) => {
    const asked = {
      tableName: 'leases',
      lockName: 'x',
      kind: 'read',
      clock: new StoreClock(new HandClocks()),
    } as const;
    const failure = await toTableFailure(named('ResourceNotFoundException'), {
      ...asked,
      client: client as never,
    });
    expect(failure).toMatchObject({
      ...{ name: 'StoreError', retryable: false, mayHaveApplied: false, lockName: 'x' },
      message: expect.stringContaining(
        `Table "leases" does not exist in this account and Region${where}; "leasehold table create" makes it`,
      ),
    });
  },
);

it.each([
  ['Item size to update has exceeded the maximum allowed size', /too large, 400 KB is the most/],
  ['The table does not have the specified index: byGroup', /lacks the index "[^"]+", which lists a group/],
  ['The provided key element does not match the schema', /partition key "name" \(String\) and no sort key/],
])('a request that DynamoDB does not like says what it may be: %s', (message, words) => {
  expect(toStoreError(named('ValidationException', message), 'leases', 'x')).toMatchObject({
    ...{ name: 'StoreError', retryable: false },
    message: expect.stringMatching(words),
  });
});
