import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineMs } from '../machine-clock.js';
import type { Direction, FaultProfile } from './fault-profile.js';

/** A server may take a request back whose client hangs up, so it is not told at once, in milliseconds. */
const lingerMs = 500;

/**
 * One connection of a client and its counterpart to the server. What the client sent is delivered in order, also
 * after the client has given up and gone: a request that arrives late is what fencing is for.
 */
export class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #faultProfile: FaultProfile;
  readonly #tails: Record<Direction, Promise<unknown>> = {
    request: Promise.resolve(),
    answer: Promise.resolve(),
  };
  /** After a lost chunk nothing that follows in its stream makes sense. */
  readonly #torn: Record<Direction, boolean> = { request: false, answer: false };
  /** Resolves when both ends are closed. */
  readonly closed: Promise<unknown>;

  constructor(client: Socket, server: Socket, faultProfile: FaultProfile) {
    this.#client = client;
    this.#server = server;
    this.#faultProfile = faultProfile;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    this.#carry('request', client, server);
    this.#carry('answer', server, client);
    this.closed = Promise.all(
      [client, server].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
    );
  }

  /** Closes what has lost a part of its stream, so that a client does not wait on it for good. */
  heal(): void {
    if (this.#torn.request || this.#torn.answer) this.destroy();
  }

  /** Resets both ends. */
  reset(): void {
    for (const socket of [this.#client, this.#server]) {
      // A reset of a socket that is being shut down fails, leaks the handle, and Node 20 then spins at its exit.
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  destroy(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  #carry(direction: Direction, from: Socket, to: Socket): void {
    const inOrder = (act: () => Promise<void> | void) => {
      this.#tails[direction] = this.#tails[direction].then(act);
    };
    from.on('data', (chunk) => {
      const arrivedAtMs = machineMs();
      inOrder(() => this.#pass(direction, chunk, arrivedAtMs, to));
    });
    // Gone is gone for what it sent before, too; but that arrives first.
    from.on('close', () => inOrder(() => this.#end(direction, to)));
  }

  async #pass(direction: Direction, chunk: Buffer, arrivedAtMs: number, to: Socket): Promise<void> {
    const fate = await this.#faultProfile.describeFate(direction, arrivedAtMs);
    if (fate === 'reset') this.reset();
    if (fate === 'lost') this.#torn[direction] = true;
    if (fate === 'through' && !this.#torn[direction] && to.writable) to.write(chunk);
  }

  async #end(direction: Direction, to: Socket): Promise<void> {
    if (this.#torn[direction]) to.destroy();
    if (direction === 'request' && !to.destroyed) await sleep(lingerMs);
    to.end();
  }
}
