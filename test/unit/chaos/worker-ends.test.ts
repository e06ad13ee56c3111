import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../lib/errors/index.js';
import { workerEnds } from '../../chaos/check/worker-ends.js';
import { findExpected } from '../../chaos/worker/expected-errors.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

describe('the check of the workers themselves', () => {
  it('finds one that ended by itself, and one that met an error of no fault', () => {
    const { history } = new HandMadeHistory().unexpected('a', 'TypeError');
    const end = { worker: 3, generation: 1, code: 1, signal: null, stderr: 'oh' };

    expect(workerEnds(history, [end])).toMatchObject([
      { kind: 'worker-failed', what: 'a worker met a TypeError that no fault explains' },
      { kind: 'worker-failed', what: 'worker 3 ended by itself with exit code 1', evidence: [end] },
    ]);
  });

  it('knows what a fault explains', () => {
    expect(findExpected(new DOMException('no answer', 'TimeoutError'))).toBe('TimeoutError');
    expect(findExpected(storeError(true))).toBe('StoreError');
    expect(findExpected(storeError(false))).toBeUndefined();
    expect(findExpected(new TypeError('a bug'))).toBeUndefined();
    // An error without a name of its own is expected of the connection only, which says so by its code.
    expect(findExpected(new Error('something is wrong'))).toBeUndefined();
    expect(findExpected(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))).toBe(
      'ECONNRESET',
    );
    expect(findExpected('no error at all')).toBeUndefined();
  });
});

function storeError(retryable: boolean): StoreError {
  return new StoreError('by hand', undefined, { retryable, mayHaveApplied: false });
}
