import * as v from 'valibot';
import { expect, it } from 'vitest';
import {
  LineFullError,
  LockHeldError,
  LockLostError,
  StoreError,
  UsageError,
} from '../../../lib/errors/index.js';
import { failure } from '../../../lib/service/answers.js';
import { ServiceError, toErrorBody } from '../../../lib/service/service-error.js';

it.each<[Error, object]>([
  [new UsageError('m'), { name: 'UsageError', code: 'USAGE', message: 'm' }],
  [
    new UsageError('m', 'x', { code: 'NOT_ALLOWED' }),
    { name: 'UsageError', code: 'NOT_ALLOWED', message: 'm', lockName: 'x' },
  ],
  [
    new StoreError('m', 'x', { retryable: true, mayHaveApplied: false }),
    {
      ...{ name: 'StoreError', code: 'STORE_ERROR', message: 'm', lockName: 'x' },
      ...{ retryable: true, mayHaveApplied: false },
    },
  ],
  [
    new StoreError('m', undefined, { retryable: false, mayHaveApplied: true }),
    { name: 'StoreError', code: 'STORE_ERROR', message: 'm', retryable: false, mayHaveApplied: true },
  ],
])('%s: an answer has all that a caller goes on with, and no more', (error, body) => {
  expect(toErrorBody(error)).toStrictEqual(body);
});

it('a full line says so under its own name', () => {
  const error = new LineFullError('x', 7);
  const { message } = error;
  expect(toErrorBody(error)).toStrictEqual({
    name: 'LineFullError',
    code: error.code,
    message,
    lockName: 'x',
  });
});

it('an error of the service has its body, and its name for a state machine', () => {
  const body = { name: 'LockHeldError', code: 'LOCK_HELD', message: 'm' } as never;
  const cause = new Error('why');
  const error = new ServiceError(body, { cause });
  expect(error).toMatchObject({ name: 'LockHeldError', message: 'm', cause });
  expect(toErrorBody(error)).toBe(body);
});

it('no other error looks like an answer', () => {
  const lost = new LockLostError('x', 'broken', 1);
  const held = new LockHeldError('x', undefined, 0);
  for (const error of [new TypeError('mistake'), 'text', undefined, lost, held])
    expect(toErrorBody(error)).toBeUndefined();
});

it.each(['expired', 'taken-over', 'broken', 'store-unavailable', 'max-hold'])(
  'a loss may be for any reason that there is, and is documented so: %s',
  (reason) => {
    const error = { name: 'LockLostError', code: 'LOCK_LOST', message: 'm', reason };
    expect(v.is(failure, { ok: false, error })).toBe(true);
    expect(v.is(failure, { ok: false, error: { ...error, reason: '' } })).toBe(false);
  },
);

it.each(['USAGE', 'NOT_ALLOWED'])('a wrong request has the code %s', (code) => {
  const error = { name: 'UsageError', code, message: 'm' };
  expect(v.is(failure, { ok: false, error })).toBe(true);
  expect(v.is(failure, { ok: false, error: { ...error, code: 'OTHER' } })).toBe(false);
});
