import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy in front of an engine that can keep answers to itself. */
export interface LostAnswers extends AsyncDisposable {
  readonly endpoint: string;
  /** What happens when a write has been applied, in place of its answer; undefined lets answers through. */
  onApplied: (() => void) | undefined;
}

/** Starts one. What is kept is kept after the engine has done it: a crash between a write and its answer. */
export async function lostAnswers(engine: string): Promise<LostAnswers> {
  const server = createServer(async (incoming, answer) => {
    const body = await buffer(incoming);
    const onward = httpRequest(new URL(incoming.url!, engine), {
      method: incoming.method,
      headers: incoming.headers,
    });
    onward.on('error', () => answer.destroy());
    onward.on('response', (found) => {
      const isWrite = String(incoming.headers['x-amz-target']).endsWith('.UpdateItem');
      if (isWrite && found.statusCode === 200 && proxy.onApplied) {
        found.resume();
        proxy.onApplied();
        return;
      }
      answer.writeHead(found.statusCode!, found.headers);
      found.pipe(answer);
    });
    onward.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: LostAnswers = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onApplied: undefined,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return proxy;
}
