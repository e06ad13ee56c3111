import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalLambda } from './local-lambda.js';

/** One invocation on its way. */
export interface Invocation {
  readonly functionName: string;
  readonly event: unknown;
  /** How many came before it. */
  readonly ordinal: number;
}

/**
 * What goes wrong with an invocation. `throttled`: refused before the function ran. `refused`: a 5xx instead. `lost`:
 * the function runs, and its answer never arrives. `cut-off`: half of the answer arrives. `late`: the function runs
 * only after the caller has been hung up on.
 */
export type Mishap = 'throttled' | 'refused' | 'lost' | 'cut-off' | 'late';

/** Options of {@link startLambdaEndpoint}. */
export interface LambdaEndpointOptions {
  /** Asked for each invocation. @default nothing goes wrong */
  readonly mishap?: (invocation: Invocation) => Mishap | undefined;
}

/** Lambda's Invoke over HTTP, on loopback. */
export interface LambdaEndpoint extends AsyncDisposable {
  /** What the AWS SDK's Lambda client takes as `endpoint`. */
  readonly endpoint: string;
  /** Every invocation that came, in order. */
  readonly invocations: readonly Invocation[];
  readonly stop: () => Promise<void>;
}

const path = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/**
 * Serves `POST /2015-03-31/functions/{name}/invocations` over functions that run as processes on this machine, so that
 * callers go through the AWS SDK and HTTP, as they would on AWS. The function's name may be given as its ARN.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function startLambdaEndpoint(
  lambda: Pick<LocalLambda, 'invoke'>,
  options: LambdaEndpointOptions = {},
): Promise<LambdaEndpoint> {
  const invocations: Invocation[] = [];
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await toText(request);
    const name = path.exec(new URL(request.url ?? '/', 'http://localhost').pathname)?.[1];
    if (!name || request.method !== 'POST')
      return refuse(response, 404, 'ResourceNotFoundException', 'No such path');
    const functionName = decodeURIComponent(name).split(':function:').at(-1)!;
    let event: unknown;
    try {
      event = body === '' ? null : JSON.parse(body);
    } catch {
      return refuse(
        response,
        400,
        'InvalidRequestContentException',
        'Could not parse request body into json',
      );
    }
    const invocation = { functionName, event, ordinal: invocations.length };
    invocations.push(invocation);
    await answer(lambda, response, invocation, options.mishap?.(invocation));
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { endpoint: `http://127.0.0.1:${port}`, invocations, stop, [Symbol.asyncDispose]: stop };
}

async function answer(
  lambda: Pick<LocalLambda, 'invoke'>,
  response: ServerResponse,
  { functionName, event }: Invocation,
  mishap: Mishap | undefined,
): Promise<void> {
  if (mishap === 'throttled') return refuse(response, 429, 'TooManyRequestsException', 'Rate Exceeded.');
  if (mishap === 'refused') return refuse(response, 500, 'ServiceException', 'Please try again');
  if (mishap === 'late') await hungUp(response);
  let payload: string;
  let headers: Record<string, string> = {};
  try {
    payload = JSON.stringify((await lambda.invoke(functionName, event)) ?? null);
  } catch (error) {
    const { name, message, stack } = error as Error;
    if (name === 'Lambda.TooManyRequestsException')
      return refuse(response, 429, 'TooManyRequestsException', message);
    if (name === 'Lambda.ResourceNotFoundException')
      return refuse(response, 404, 'ResourceNotFoundException', message);
    headers = { 'x-amz-function-error': 'Unhandled' };
    payload = JSON.stringify({ errorType: name, errorMessage: message, trace: stack?.split('\n') });
  }
  if (mishap === 'lost') return void response.destroy();
  const bytes = Buffer.from(payload);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'x-amz-executed-version': '$LATEST',
    ...headers,
  });
  if (mishap !== 'cut-off') return void response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

/** Resolves when the caller has given up, or once the connection is closed from here. */
function hungUp(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.on('close', resolve));
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  response.end(JSON.stringify({ Type: status < 500 ? 'User' : 'Service', Message: message, message }));
}

async function toText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
