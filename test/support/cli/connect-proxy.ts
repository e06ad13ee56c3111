import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy as companies have them: CONNECT for https, whole addresses for http. */
export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** What was asked for through it, as `host:port`. */
  readonly asked: readonly string[];
}

/**
 * Starts one on loopback.
 *
 * @param route where a host of AWS lies in this test; a host that is not in it is refused
 */
export async function connectProxy(route: Readonly<Record<string, number>>): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => void response.writeHead(501).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, client) => {
    const host = request.url ?? '';
    asked.push(host);
    const port = route[host];
    if (port === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(onward).pipe(client);
    });
    sockets.add(onward);
    const destroyBoth = () => {
      client.destroy();
      onward.destroy();
    };
    for (const end of [client, onward]) end.on('error', destroyBoth);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
