import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../lib/errors/index.js';
import { workerEnds } from '../../chaos/check/worker-ends.js';
import { isExpected } from '../../chaos/worker/expected-errors.js';
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
    expect(isExpected(new DOMException('no answer', 'TimeoutError'))).toBe(true);
    expect(isExpected(storeError(true))).toBe(true);
    expect(isExpected(storeError(false))).toBe(false);
    expect(isExpected(new TypeError('a bug'))).toBe(false);
    expect(isExpected('no error at all')).toBe(false);
  });
});

function storeError(retryable: boolean): StoreError {
  return new StoreError('by hand', undefined, { retryable, mayHaveApplied: false });
}
