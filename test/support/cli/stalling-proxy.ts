import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server that hands everything on, until it is told to answer nothing any more. */
export interface StallingProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** Requests from now on hang. */
  stall(): void;
}

/** Starts one in front of an endpoint on loopback. */
export async function stallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  let stalled = false;
  const server = createServer((incoming, outgoing) => {
    if (stalled) return;
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall: () => {
      stalled = true;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
