import { LambdaClient } from '@aws-sdk/client-lambda';
import { startLambdaEndpoint } from '../../../bin/start/state-machine/index.js';
import { LockClient } from '../../../lib/client/index.js';
import { shortLease } from '../stage.js';

/** A client whose service answers what a test wants, over the AWS SDK and HTTP. */
export async function answeredBy(
  answer: (request: { readonly operation: string; readonly leaseId?: string }) => unknown,
): Promise<{ readonly locks: LockClient; readonly asked: () => number } & AsyncDisposable> {
  const invoke = async (_name: string, event: unknown) => answer(event as never);
  const endpoint = await startLambdaEndpoint({ invoke });
  const lambdaClient = new LambdaClient({
    endpoint: endpoint.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const locks = new LockClient({ ...shortLease, service: 'odd', lambdaClient, maxAttempts: 1 });
  return {
    locks,
    asked: () => endpoint.invocations.length,
    [Symbol.asyncDispose]: async () => {
      await locks.close();
      lambdaClient.destroy();
      await endpoint.stop();
    },
  };
}
