import { expect } from 'vitest';
import { VirtualWorld } from '../bench/virtual-world.js';

/** What requests are sent with. */
type Sender = ReturnType<VirtualWorld['client']>;

/**
 * Checks that work ends with its signal wherever it stands: once for each request that it sends, of which that very one is
 * never answered. The request is given up at once.
 *
 * @param begin the work, with a client whose requests may hang
 * @param prepare what is to be there before; none of its requests hangs
 * @param most so many requests: those behind them are no part of it. @default all
 * @returns what the work ended with, for each of its requests
 */
export async function endsOfHangingRequests<Prepared>(
  begin: (scene: {
    readonly world: VirtualWorld;
    readonly client: never;
    readonly signal: AbortSignal;
    readonly prepared: Prepared;
  }) => Promise<unknown>,
  prepare: (world: VirtualWorld) => Promise<Prepared>,
  most = 20,
): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  for (let hangs = 0; hangs < most; hangs++) {
    const world = new VirtualWorld(1);
    const prepared = await world.until(prepare(world));
    const plain = world.client(world.process('hanging'));
    let sent = 0;
    let hanging: { readonly signal: AbortSignal | undefined } | undefined;
    const send = (...[command, options]: Parameters<Sender['send']>) => {
      if (sent++ !== hangs) return plain.send(command, options);
      const { abortSignal: signal } = options as { readonly abortSignal?: AbortSignal };
      hanging = { signal };
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    const stop = new AbortController();
    let isOver = false;
    const work = begin({ world, client: { send } as never, signal: stop.signal, prepared }).then(
      (value) => value,
      (error) => error,
    );
    void work.then(() => {
      isOver = true;
    });
    await world.loop.run(Number.POSITIVE_INFINITY, () => isOver || hanging !== undefined);
    if (!hanging) break;
    stop.abort(new Error(`given up at request ${hangs}`));
    // At once, and not when the request's own time is over.
    await world.until(world.loop.sleep(1));
    expect({ hangs, isGivenUp: hanging.signal?.aborted }).toEqual({ hangs, isGivenUp: true });
    ends.push(await world.until(work));
  }
  return ends;
}
