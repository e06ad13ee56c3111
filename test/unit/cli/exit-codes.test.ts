import { describe, expect, it } from 'vitest';
import { exitCodeOf, exitCodes } from '../../../bin/cli/exit-codes.js';
import {
  AlreadyCompletedError,
  LineFullError,
  LockHeldError,
  LockLostError,
  StoreError,
  UsageError,
} from '../../../lib/errors/index.js';

const store = (retryable: boolean, name?: string) =>
  new StoreError('the store', 'x', {
    ...{ retryable, mayHaveApplied: false },
    ...(name !== undefined && { cause: Object.assign(new Error('why'), { name }) }),
  });
const sdk = (name: string, $fault: 'client' | 'server', more: object = {}) =>
  Object.assign(new Error('why'), { name, $fault, $metadata: {}, ...more });

describe('D16 what a command ends with', () => {
  it.each<[string, Error, number]>([
    ['a call that can’t be right', new UsageError('no'), exitCodes.usage],
    ['a lock that is held', new LockHeldError('x', undefined, 0), exitCodes.held],
    ['a line in which there is no place', new LineFullError('x', 100), exitCodes.held],
    ['a lock that was lost', new LockLostError('x', 'expired', 1), exitCodes.lost],
    ['work that is done', new AlreadyCompletedError('x', undefined, 1), exitCodes.completed],
    ['a store that may work later', store(true, 'ThrottlingException'), exitCodes.unavailable],
    ['a store that never will', store(false), exitCodes.setUp],
    ['credentials that were refused to the end', store(true, 'ExpiredTokenException'), exitCodes.setUp],
    ['a right that is missing', sdk('AccessDeniedException', 'client'), exitCodes.setUp],
    ['requests that are too many', sdk('TooManyRequestsException', 'client'), exitCodes.unavailable],
    ['a service in trouble', sdk('InternalServerError', 'server'), exitCodes.unavailable],
    ['anything else', new Error('what'), exitCodes.failed],
  ])('says so of %s', (_, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});
