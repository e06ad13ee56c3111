import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as it arrived. */
export interface AskedRequest {
  /** The Region that it was signed for. */
  readonly region: string | undefined;
  /** The path and the body, in which the resource is named. */
  readonly said: string;
}

/** An endpoint of any service that refuses everything, and remembers what it was asked. */
export interface AskedRegions extends AsyncDisposable {
  readonly endpoint: string;
  readonly requests: readonly AskedRequest[];
}

/** Starts one on loopback. */
export async function askedRegions(): Promise<AskedRegions> {
  const requests: AskedRequest[] = [];
  const server = createServer(async (incoming, answer) => {
    const [, region] = /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(incoming.headers.authorization ?? '') ?? [];
    requests.push({ region, said: decodeURIComponent(incoming.url ?? '') + (await text(incoming)) });
    answer.writeHead(400, {
      'content-type': 'application/x-amz-json-1.0',
      'x-amzn-errortype': 'AccessDeniedException',
    });
    answer.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
