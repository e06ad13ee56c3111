import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** An address that passes everything on to another one. */
export interface Relay extends AsyncDisposable {
  readonly endpoint: string;
  /** What clients have sent, headers and all. */
  readonly bytesUp: number;
  readonly requests: number;
}

/**
 * Starts a relay.
 *
 * @param to where it passes on to
 * @param delayMs each answer waits so long: stands for the way to a real store and back
 */
export async function startRelay(to: string, delayMs: number): Promise<Relay> {
  const { hostname, port } = new URL(to);
  const sockets = new Set<Socket>();
  let bytesUp = 0;
  let requests = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const store = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const socket of [client, store]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        store.destroy();
        sockets.delete(socket);
      });
    }
    client.on('data', (bytes) => {
      bytesUp += bytes.length;
      requests += bytes.toString('latin1').match(/^POST /gm)?.length ?? 0;
      store.write(bytes);
    });
    store.on('data', (bytes) => {
      if (delayMs > 0) setTimeout(() => client.write(bytes), delayMs);
      else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get bytesUp() {
      return bytesUp;
    },
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
