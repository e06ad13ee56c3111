import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest } from './http-exchange.js';

/**
 * A server on loopback that takes every request and answers none. Hung requests go there through the SDK's
 * own handler, so that its timeouts and the caller's aborts act on them as they would in the field.
 */
export class BlackHole {
  #server: Promise<Server> | undefined;

  /** The same request, addressed to the black hole. Starts it at the first call. */
  async redirect(request: HttpRequest): Promise<HttpRequest> {
    this.#server ??= listen();
    const { port } = (await this.#server).address() as AddressInfo;
    const copy = Object.assign(Object.create(Object.getPrototypeOf(request)), request);
    return Object.assign(copy, { protocol: 'http:', hostname: '127.0.0.1', port, path: '/' });
  }

  /** Resets everything that hangs and stops listening. */
  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    if (!server?.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

async function listen(): Promise<Server> {
  const server = createServer((request) => request.resume());
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A request that hangs keeps its own socket alive in the event loop; the listener need not.
  server.unref();
  return server;
}
