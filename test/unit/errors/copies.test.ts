import { describe, expect, it } from 'vitest';
import * as ours from '../../../lib/errors/errors.js';

describe('errors of another copy of the package', () => {
  it('instanceof goes by the name across copies, and tells the kinds apart', async () => {
    const another = '../../../lib/errors/errors.js?another-copy';
    const theirs: typeof ours = await import(/* @vite-ignore */ another);
    expect(theirs.LockHeldError).not.toBe(ours.LockHeldError);
    const held = new theirs.LockHeldError('n', undefined, 1);
    expect(held instanceof ours.LockHeldError).toBe(true);
    expect(held instanceof ours.LeaseholdError).toBe(true);
    expect(held instanceof Error).toBe(true);
    expect(held instanceof ours.StoreError).toBe(false);
    class Own extends ours.LockHeldError {}
    expect(held instanceof Own).toBe(false);
    expect(new Own('n', undefined, 1) instanceof theirs.LockHeldError).toBe(true);
    expect(Object.assign(new Error(), { name: 'LockHeldError' }) instanceof ours.LockHeldError).toBe(false);
  });
});
