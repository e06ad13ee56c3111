import { describe, expect, it } from 'vitest';
import { waitForTurn } from '../../../lib/client/contention.js';
import { LocalQueue } from '../../../lib/client/local-queue.js';
import { VirtualTime } from '../../support/virtual-time.js';

/** Callers who say when their turn comes, and how their wait ends otherwise. */
function scene() {
  const time = new VirtualTime();
  const queue = new LocalQueue();
  const said: string[] = [];
  const waits = async (who: string, waitMs = 1_000, signal?: AbortSignal) => {
    const turn = await waitForTurn(queue, time, 'jobs', waitMs, signal).catch((reason) => {
      said.push(`${who}: ${reason.message}`);
    });
    if (turn) said.push(who);
    else if (!said.some((word) => word.startsWith(`${who}:`))) said.push(`${who}: no turn`);
    return turn!;
  };
  return { time, queue, said, waits };
}

/** Who of this process has the turn, as those behind are told. */
const holderOf = (queue: LocalQueue) => queue.lineOf('jobs')?.turn.holder?.();

describe('callers of one name in one process', () => {
  it('have their turns one at a time, first come first served, and nobody twice for a turn left twice', async () => {
    const { time, queue, said, waits } = scene();
    const first = queue.tryEnter('jobs')!;
    const others = [waits('a'), waits('b'), waits('c')];
    expect(queue.tryEnter('jobs')).toBeUndefined();
    await time.pass(1);
    expect(said).toEqual([]);
    first.leave();
    first.leave();
    await time.pass(1);
    expect(said).toEqual(['a']);
    for (const other of others) (await other).leave();
    expect(said).toEqual(['a', 'b', 'c']);
    expect(time.timers).toBe(0);
    expect(queue.tryEnter('jobs')).toBeDefined();
  });

  it('do not wait for those of another name, nor without time to wait', async () => {
    const { time, queue, said, waits } = scene();
    queue.tryEnter('jobs');
    expect(queue.tryEnter('other jobs')).toBeDefined();
    await waits('a', 0);
    expect(said).toEqual(['a: no turn']);
    expect(time.timers).toBe(0);
  });

  it('whose time is up get no turn, and those behind them get theirs', async () => {
    const { time, queue, said, waits } = scene();
    const first = queue.tryEnter('jobs')!;
    void waits('a', 100);
    void waits('b', 300);
    await time.pass(200);
    expect(said).toEqual(['a: no turn']);
    first.leave();
    await time.pass(1);
    expect(said).toEqual(['a: no turn', 'b']);
    expect(time.timers).toBe(0);
    // What came too late for its turn is over, and ends nothing.
    await time.pass(1_000);
    expect(said).toHaveLength(2);
  });

  it('whose signal aborts end with its reason, and those behind them get their turns', async () => {
    const { time, queue, said, waits } = scene();
    const first = queue.tryEnter('jobs')!;
    const [early, late] = [new AbortController(), new AbortController()];
    void waits('a', 1_000, early.signal);
    const second = waits('b', 1_000, late.signal);
    void waits('c', 5_000);
    early.abort(new Error('enough'));
    await time.pass(1);
    expect(said).toEqual(['a: enough']);
    first.leave();
    await time.pass(1);
    expect(said).toEqual(['a: enough', 'b']);
    // Whose turn has come does not wait any more: nothing is left to be ended.
    late.abort(new Error('too late'));
    await time.pass(1_000);
    expect(said).toEqual(['a: enough', 'b']);
    // Nor does it end the wait of somebody else.
    (await second).leave();
    await time.pass(1);
    expect(said).toEqual(['a: enough', 'b', 'c']);
    expect(time.timers).toBe(0);
  });

  it('see who holds before them, and nobody where nobody says so', async () => {
    const { time, queue, waits } = scene();
    const holder = { owner: 'o', token: 7, leaseId: 'l', acquiredAt: 1, remainingMs: 2 };
    expect(holderOf(queue)).toBeUndefined();
    const first = queue.tryEnter('jobs')!;
    expect(holderOf(queue)).toBeUndefined();
    first.holder = () => holder;
    expect(holderOf(queue)).toEqual(holder);
    const second = waits('a');
    first.leave();
    await time.pass(1);
    expect(holderOf(queue)).toBeUndefined();
    (await second).holder = () => ({ ...holder, token: 8 });
    expect(holderOf(queue)).toMatchObject({ token: 8 });
  });
});
