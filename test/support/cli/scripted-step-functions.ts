import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A request to Step Functions. */
export interface StepFunctionsCall {
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the command line sends
  readonly input: any;
}

/** Answers by operation: a function of the input and of how often it was asked. An `__type` makes it an error. */
export type Script = Readonly<
  Record<string, (input: never, time: number) => Record<string, unknown> | Promise<Record<string, unknown>>>
>;

/** A Step Functions that says what a test wants. */
export interface ScriptedStepFunctions extends AsyncDisposable {
  /** What makes the SDK call it. */
  readonly env: Readonly<Record<string, string>>;
  readonly calls: readonly StepFunctionsCall[];
}

/** Starts one on loopback. */
export async function scriptedStepFunctions(script: Script): Promise<ScriptedStepFunctions> {
  const calls: StepFunctionsCall[] = [];
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1]!;
    const input = (await json(request)) as never;
    calls.push({ operation, input });
    const time = calls.filter((call) => call.operation === operation).length;
    const answer = (await script[operation]?.(input, time)) ?? { __type: 'UnknownOperationException' };
    response.writeHead('__type' in answer ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    env: { AWS_ENDPOINT_URL_SFN: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    calls,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A service that refuses everything with one error. */
export async function alwaysRefusing(type: string): Promise<ScriptedStepFunctions & { endpoint: string }> {
  const refusal = () => ({ __type: type, message: 'refused by a test' });
  const service = await scriptedStepFunctions(new Proxy({}, { get: () => refusal }) as Script);
  return { ...service, endpoint: service.env.AWS_ENDPOINT_URL_SFN! };
}
