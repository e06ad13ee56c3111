import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../lib/errors/index.js';
import { callsOf, loadedOnce } from '../../../lib/runtime/index.js';

describe('a part that is loaded when it is needed', () => {
  it('is loaded once, whoever asks', async () => {
    const load = vi.fn(async () => ({ double: async (value: number) => 2 * value }));
    const later = loadedOnce(load);
    const { double } = callsOf(later, ['double']);
    expect(load).not.toHaveBeenCalled();
    expect(await Promise.all([double(2), double(3)])).toEqual([4, 6]);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('counts as a store that can’t be reached where it can’t be loaded, and is loaded by the next call', async () => {
    const cause = new Error('the file is gone');
    const load = vi.fn(async () => 'loaded').mockRejectedValueOnce(cause);
    const later = loadedOnce(load);
    const error = await later().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ retryable: true, mayHaveApplied: true, cause });
    expect(await later()).toBe('loaded');
  });
});
