import { type Runtime, whenAborted } from '../runtime/index.js';
import type { LocalQueue, Turn } from './local-queue.js';

/**
 * Waits for the turn of a name.
 *
 * @param waitMs how long at most, in milliseconds
 * @returns `undefined` when the time ran out
 * @throws the signal's reason when it aborts
 */
export async function waitForTurn(
  queue: LocalQueue,
  runtime: Runtime,
  name: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Turn | undefined> {
  signal?.throwIfAborted();
  const free = queue.tryEnter(name);
  if (free || waitMs <= 0) return free;
  const { waiters } = queue.lineOf(name)!;
  return new Promise((resolve, reject) => {
    const settle = () => {
      cancel();
      leave();
    };
    const admit = (turn: Turn) => {
      settle();
      resolve(turn);
    };
    const giveUp = () => {
      settle();
      waiters.splice(waiters.indexOf(admit), 1);
    };
    const cancel = runtime.setAwaitedTimer(() => {
      giveUp();
      resolve(undefined);
    }, waitMs);
    const leave = whenAborted(signal, () => {
      giveUp();
      reject(signal?.reason);
    });
    waiters.push(admit);
  });
}
