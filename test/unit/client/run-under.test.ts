import { describe, expect, it } from 'vitest';
import { runUnder } from '../../../lib/client/with-lock.js';
import { LockLostError } from '../../../lib/errors/index.js';

/** A lease that is lost before its work ends, at its release, or never. */
function scene(lost: 'before' | 'by its release' | 'never') {
  const loss = new LockLostError('jobs', 'taken-over', 7);
  const said: string[] = [];
  const lease = {
    loss: lost === 'before' ? loss : undefined,
    async [Symbol.asyncDispose]() {
      said.push('given back');
      if (lost === 'by its release') lease.loss = loss;
    },
  };
  return { loss, said, lease };
}

const when = ['before', 'by its release', 'never'] as const;

describe('work under a lease', () => {
  it.each(when)('is followed by one release, whose end is waited for: lost %s', async (lost) => {
    const { lease, said } = scene(lost);
    await runUnder(lease, () => said.push('worked')).catch(() => {});
    expect(said).toEqual(['worked', 'given back']);
    await runUnder(lease, () => Promise.reject(new Error('of the work'))).catch(() => {});
    expect(said).toEqual(['worked', 'given back', 'given back']);
  });

  it('that ended well has its result', async () => {
    expect(await runUnder(scene('never').lease, () => 'done')).toBe('done');
  });

  it.each(['before', 'by its release'] as const)(
    'I2 that ended well under a lease lost %s is that loss, with the result',
    async (lost) => {
      const { lease, loss } = scene(lost);
      const error = await runUnder(lease, () => 'done').catch((thrown) => thrown);
      expect(error).toBeInstanceOf(LockLostError);
      expect(error).toMatchObject({ lockName: 'jobs', reason: 'taken-over', token: 7, result: 'done' });
      expect(error.cause).toBe(loss);
    },
  );

  it.each(when)(
    'that fails is its own error, with a loss at the end of its causes: lost %s',
    async (lost) => {
      const { lease, loss } = scene(lost);
      const first = new Error('first');
      const own = new Error('own', { cause: new Error('between', { cause: first }) });
      await expect(runUnder(lease, () => Promise.reject(own))).rejects.toBe(own);
      expect(first.cause).toBe(lost === 'never' ? undefined : loss);
      // As causes are: not shown where properties are listed.
      expect(Object.keys(first)).toEqual([]);
    },
  );

  it.each([
    ['is no error', () => 'a text'],
    ['is frozen', () => Object.freeze(new Error('frozen'))],
    ['has a cause that is no error', () => new Error('own', { cause: 'a text' })],
    ['is its own cause', () => Object.assign(new Error('own'), {})],
  ])('that throws what %s ends with just that', async (what, make) => {
    const { lease } = scene('before');
    const own = make();
    if (what === 'is its own cause') (own as Error).cause = own;
    const cause = (own as Error).cause;
    await expect(runUnder(lease, () => Promise.reject(own))).rejects.toBe(own);
    expect((own as Error).cause).toBe(cause);
  });

  it('that throws the loss itself ends with the loss alone', async () => {
    const { lease, loss } = scene('before');
    await expect(runUnder(lease, () => Promise.reject(loss))).rejects.toBe(loss);
    expect(loss.cause).toBeUndefined();
  });
});
