import { describe, expect, it } from 'vitest';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';
import { usePlainAbort } from '../../simulation/world/plain-abort.js';

usePlainAbort();

const dayMs = 86_400_000;

/** A client whose completions can be made to fail, as often as there are errors. */
function scene() {
  const world = new VirtualWorld(1);
  const process = world.process('worker');
  const plain = world.client(process);
  const failures: Error[] = [];
  const send = (...[command, options]: Parameters<typeof plain.send>) => {
    const { UpdateExpression = '' } = command.input as { readonly UpdateExpression?: string };
    const isCompletion = UpdateExpression.includes('completedAt');
    const failure = isCompletion ? failures.shift() : undefined;
    return failure ? Promise.reject(failure) : plain.send(command, options);
  };
  const locks = world.locks(process, { client: { send } as never });
  const inspect = (name: string) => world.until(locks.inspect(name));
  return { world, locks, failures, inspect };
}

const named = (name: string, message = name) => Object.assign(new Error(message), { name });

describe('work that is done once', () => {
  it('I7 is done by the first, whose result all others get', async () => {
    const { world, locks } = scene();
    let runs = 0;
    const work = async () => ({ runs: ++runs });
    expect(await world.until(locks.once('x', work))).toEqual({ ran: true, result: { runs: 1 } });
    expect(await world.until(locks.once('x', work))).toEqual({ ran: false, result: { runs: 1 } });
    expect(runs).toBe(1);
  });

  it('I7 whose result can’t be kept is done all the same: the error has the result, and why it is not kept', async () => {
    const { world, locks, inspect } = scene();
    const result = { when: () => {}, big: Number.NaN };
    const thrown = await world.until(locks.once('x', async () => result).catch((error) => error));
    expect(thrown).toMatchObject({
      ...{ name: 'AlreadyCompletedError', lockName: 'x', result },
      notRecorded: expect.stringContaining('DynamoDB can’t store'.replace('’', "'")),
      cause: { name: 'UsageError' },
    });
    const { state, completedAt } = (await inspect('x'))!;
    expect(state).toBe('completed');
    expect(Math.abs(completedAt! - thrown.completedAt)).toBeLessThan(3_000);
    // Who comes later is told that nothing was recorded, and does not do it again.
    const later = await world.until(locks.once('x', async () => 'again').catch((error) => error));
    expect(later).toMatchObject({ name: 'AlreadyCompletedError', notRecorded: expect.any(String) });
  });

  it('I7 whose result the store refuses, together with what else is in the item, is so done, too', async () => {
    const { world, locks, failures } = scene();
    failures.push(named('ValidationException', 'Item size has exceeded the maximum'));
    const thrown = await world.until(locks.once('x', async () => 'long').catch((error) => error));
    expect(thrown).toMatchObject({
      ...{ name: 'AlreadyCompletedError', result: 'long', cause: { name: 'StoreError' } },
      notRecorded: expect.stringContaining('too large'),
    });
  });

  it('whose completion may not be written is the store’s error, and no result', async () => {
    const { world, locks, failures, inspect } = scene();
    failures.push(named('AccessDeniedException'));
    const thrown = await world.until(locks.once('x', async () => 'done').catch((error) => error));
    expect(thrown).toMatchObject({ name: 'StoreError', retryable: false });
    expect((await inspect('x'))!.state).toBe('free');
  });

  it('whose completion the store does not take at first is written until it does', async () => {
    const { world, locks, failures } = scene();
    failures.push(named('InternalServerError'), named('InternalServerError'));
    expect(await world.until(locks.once('x', async () => 'done'))).toEqual({ ran: true, result: 'done' });
    expect(failures).toEqual([]);
  });

  it('is remembered for as long as it says, at least a day, or for good', async () => {
    const { world, locks } = scene();
    await world.until(locks.once('for good', async () => 1));
    expect(world.items.get('for good')).not.toHaveProperty('ttl');
    await world.until(locks.once('a day', async () => 1, { retainMs: dayMs }));
    const ttl = Number(world.items.get('a day')!.ttl!.N);
    expect(Math.abs(ttl - world.nowMs / 1_000 - 86_400)).toBeLessThan(5);
    const writes = world.writes;
    const short = world.until(locks.once('x', async () => 1, { retainMs: dayMs - 1 }));
    await expect(short).rejects.toMatchObject({
      message: expect.stringMatching(/^retainMs: must be a number/),
    });
    expect(world.writes).toBe(writes);
  });

  it('that throws is not done: its own error, also where that is one of ours', async () => {
    const { world, locks, inspect } = scene();
    const { AlreadyCompletedError } = await import('../../../lib/errors/index.js');
    const own = new AlreadyCompletedError('another', 'result', 5);
    await expect(world.until(locks.once('x', () => Promise.reject(own)))).rejects.toBe(own);
    expect((await inspect('x'))!.state).toBe('free');
    expect(await world.until(locks.once('x', async () => 'now'))).toEqual({ ran: true, result: 'now' });
  });
});
