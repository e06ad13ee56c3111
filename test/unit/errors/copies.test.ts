import { describe, expect, it } from 'vitest';
import * as ours from '../../../lib/errors/errors.js';

describe('errors of another copy of the package', () => {
  it('instanceof goes by the name across copies, and tells the kinds apart', async () => {
    const another = '../../../lib/errors/errors.js?another-copy';
    const theirs: typeof ours = await import(/* @vite-ignore */ another);
    expect(theirs.LockLostError).not.toBe(ours.LockLostError);
    const lost = new theirs.LockLostError('n', 'expired', 1);
    expect(lost instanceof ours.LockLostError).toBe(true);
    expect(lost instanceof ours.LeaseholdError).toBe(true);
    expect(lost instanceof Error).toBe(true);
    expect(lost instanceof ours.StoreError).toBe(false);
    class Own extends ours.LockLostError {}
    expect(lost instanceof Own).toBe(false);
    expect(new Own('n', 'expired', 1) instanceof theirs.LockLostError).toBe(true);
    expect(Object.assign(new Error(), { name: 'LockLostError' }) instanceof ours.LockLostError).toBe(false);
  });
});
