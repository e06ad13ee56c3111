import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What the server answers to one operation. */
export interface CannedAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Without a `Date` header. */
  readonly undated?: boolean;
}

/** A real HTTP server for what no engine at hand answers, such as a refusal for lack of permissions. */
export interface CannedServer extends AsyncDisposable {
  readonly client: DynamoDBClient;
  /** The operations that were asked for. */
  readonly asked: readonly string[];
}

/** DynamoDB's refusal of a caller without permissions. */
export const accessDenied = errorAnswer('AccessDeniedException', 'User is not authorized to perform this');

/** An error as DynamoDB words it. */
export function errorAnswer(name: string, message: string): CannedAnswer {
  return { status: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message } };
}

/** Starts the server. */
export async function cannedServer(answer: (operation: string) => CannedAnswer): Promise<CannedServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1)!;
    asked.push(operation);
    request.resume().on('end', () => {
      const { status, body, undated } = answer(operation);
      if (undated) response.sendDate = false;
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  return {
    client,
    asked,
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
