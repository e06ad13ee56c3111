import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RecordedRequest, recordedRequestOf } from './recorded-request.js';

/** Endpoints of the services, as the code under test would be given them. */
export type Endpoints = Readonly<Partial<Record<'dynamodb' | 's3' | 'states' | 'lambda', string>>>;

/** Proxies in front of some endpoints, which write down what is asked. */
export interface RequestRecorder<E extends Endpoints = Endpoints> extends AsyncDisposable {
  /** What to give to the code instead. */
  readonly endpoints: { readonly [K in keyof E]: string };
  /** Every HTTP attempt so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** What was recorded since the last call. */
  take(): readonly RecordedRequest[];
}

/** Starts a recording proxy for each endpoint given. Answers come back as they are. */
export async function recordRequests<E extends Endpoints>(endpoints: E): Promise<RequestRecorder<E>> {
  const requests: RecordedRequest[] = [];
  let taken = 0;
  const servers: Server[] = [];
  const own: Record<string, string> = {};
  for (const [service, endpoint] of Object.entries(endpoints)) {
    const server = createServer((incoming, answer) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        requests.push(recordedRequestOf(service as keyof Endpoints, incoming, body));
        const onward = httpRequest(
          new URL(incoming.url!, endpoint),
          { method: incoming.method, headers: incoming.headers },
          (found: IncomingMessage) => {
            answer.writeHead(found.statusCode!, found.headers);
            found.pipe(answer);
          },
        );
        onward.on('error', () => answer.destroy());
        onward.end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    own[service] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  return {
    endpoints: own as { readonly [K in keyof E]: string },
    requests,
    take() {
      const fresh = requests.slice(taken);
      taken = requests.length;
      return fresh;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
