import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { FaultProfile, type FaultProfileKind } from './fault-profile.js';
import { Link } from './link.js';

/** A TCP port that stands for a server, and what may happen on the way there. */
export class FaultyProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #faultProfile = new FaultProfile();
  readonly #links = new Set<Link>();

  private constructor(target: () => number) {
    this.#server = createServer((client) => {
      const link = new Link(client, connect(target(), '127.0.0.1'), this.#faultProfile);
      this.#links.add(link);
      link.closed.then(() => this.#links.delete(link));
    });
  }

  /** @param target the server's port on loopback, asked for each connection */
  static async start(target: () => number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get faultProfile(): FaultProfileKind {
    return this.#faultProfile.kind;
  }

  /** Holds from now on, for connections that are open, too. @param delayMs for `delay`, in milliseconds */
  become(kind: FaultProfileKind, delayMs?: number): void {
    this.#faultProfile.become(kind, delayMs);
    if (kind === 'reset') for (const link of this.#links) link.reset();
    if (kind === 'pass') for (const link of this.#links) link.heal();
  }

  /** Resolves when no connection is left, whose client has gone: all that was held back has arrived. */
  async drained(): Promise<void> {
    while (this.#links.size > 0) await Promise.all([...this.#links].map(({ closed }) => closed));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const link of this.#links) link.destroy();
    // Lets go of what still waits for other faultProfile.
    this.#faultProfile.become('pass');
    await closed;
  }
}
