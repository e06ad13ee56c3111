import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startLocalLambda } from '../../../bin/start/state-machine/index.js';
import { createLeaseTable, startDynamo } from '../../../lib/local/index.js';
import { bundledHandler } from '../bundles.js';
import { scriptedStepFunctions } from '../cli/scripted-step-functions.js';
import type { RecordedRequest } from './recorded-request.js';
import { recordRequests } from './request-recorder.js';

/** The functions of a lock service: the callers', the operators', and the one that is told of executions. */
export type ServiceFunctionName = 'service' | 'operators' | 'executions';

/** What each of them was recorded sending. */
export type RecordedService = Readonly<Record<ServiceFunctionName, readonly RecordedRequest[]>>;

/**
 * Invokes the bundled functions, in processes of their own, with everything that they can be asked for, while another
 * service, for all names, uses the same table, groups and execution.
 *
 * @param options.names as the service is deployed for: `settlement/*`
 * @param options.execution the ARN of an execution that has ended
 */
export async function recordedService(options: {
  readonly names: readonly string[];
  readonly execution: string;
}): Promise<RecordedService> {
  const [dynamo, stepFunctions] = await Promise.all([
    startDynamo({ allowDocker: false }),
    scriptedStepFunctions({ DescribeExecution: () => ({ status: 'ABORTED' }) }),
  ]);
  const raw = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(raw, 'leases');
  raw.destroy();
  const record = () =>
    recordRequests({ dynamodb: dynamo.endpoint, states: stepFunctions.env.AWS_ENDPOINT_URL_SFN! });
  const recorders = { service: await record(), operators: await record(), executions: await record() };
  const functionOf = (name: ServiceFunctionName) => ({
    handler: bundledHandler('lock-service'),
    env: {
      LEASEHOLD_TABLE: 'leases',
      LEASEHOLD_NAMES: JSON.stringify(options.names),
      LEASEHOLD_GROUPS: JSON.stringify(['night/*']),
      LEASEHOLD_OPERATIONS: name === 'operators' ? 'operate' : 'use',
      LEASEHOLD_DYNAMODB_ENDPOINT: recorders[name].endpoints.dynamodb,
      LEASEHOLD_STEPFUNCTIONS_ENDPOINT: recorders[name].endpoints.states,
      LEASEHOLD_LOGS: 'off',
      LEASEHOLD_METRICS: 'off',
    },
  });
  const neighbourEnv = { LEASEHOLD_TABLE: 'leases', LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint };
  const lambda = await startLocalLambda({
    functions: {
      service: functionOf('service'),
      operators: functionOf('operators'),
      executions: functionOf('executions'),
      neighbour: { handler: bundledHandler('lock-service'), env: neighbourEnv },
    },
  });
  const ask = async (name: ServiceFunctionName | 'neighbour', request: object): Promise<Answer> => {
    const answer = (await lambda.invoke(name, request)) as Answer;
    if (!answer.ok) throw new Error(JSON.stringify(answer));
    return answer;
  };
  try {
    await ask('neighbour', { ...heldBy(options.execution, 'report'), group: 'night/1' });
    await ask('neighbour', heldBy(options.execution, 'report-2'));
    await useAll((request) => ask('service', request), options.execution);
    await operateAll((request) => ask('operators', request));
    await useAll((request) => ask('operators', request), options.execution);
    await ask('service', heldBy(options.execution, 'settlement/ended'));
    const ended = await ask('executions', {
      source: 'aws.states',
      detail: { executionArn: options.execution, status: 'ABORTED' },
    });
    if (ended.released?.join() !== 'settlement/ended') throw new Error(JSON.stringify(ended));
    return {
      service: recorders.service.requests,
      operators: recorders.operators.requests,
      executions: recorders.executions.requests,
    };
  } finally {
    await lambda.stop();
    for (const recorder of Object.values(recorders)) await recorder[Symbol.asyncDispose]();
    await stepFunctions[Symbol.asyncDispose]();
    await dynamo.stop();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of all operations
type Answer = any;
type Ask = (request: object) => Promise<Answer>;

let leases = 0;
const freshLease = () => `recorded-${String(++leases).padStart(8, '0')}`;

function heldBy(execution: string, name: string) {
  return { operation: 'acquire', name, leaseId: freshLease(), leaseMs: 600_000, execution };
}

/** What callers may. */
async function useAll(ask: Ask, execution: string): Promise<void> {
  const held = { name: 'settlement/1', leaseId: freshLease() };
  const ownerKey = freshLease();
  const acquire = {
    operation: 'acquire',
    ...held,
    leaseMs: 60_000,
    owner: 'worker',
    ownerKey,
    group: 'night/1',
  };
  const { token } = (await ask(acquire)).granted;
  const again = { ...acquire, leaseId: freshLease(), supersedes: token };
  const { token: newer } = (await ask(again)).granted;
  const present = { name: held.name, leaseId: again.leaseId, token: newer };
  const expiresAt = Date.now() + 120_000;
  await ask({ operation: 'release', ...held, token });
  await ask({ operation: 'renew', ...present, expiresAt, checkpoint: { page: 1 } });
  await ask({ operation: 'inspect', name: held.name });
  await ask({ operation: 'list', group: 'night/1' });
  await ask({ operation: 'release', ...present });
  const last = { name: 'settlement/done', leaseId: freshLease() };
  const granted = (await ask({ operation: 'acquire', ...last, leaseMs: 60_000, owner: 'worker' })).granted;
  await ask({ operation: 'complete', ...last, token: granted.token, result: 7 });
  // Held by an execution that has ended, then taken over.
  await ask(heldBy(execution, 'settlement/2'));
  const taken = { ...heldBy(execution, 'settlement/2'), group: 'night/2' };
  await ask(taken);
  await ask({ operation: 'release', name: taken.name, leaseId: taken.leaseId });
  await ask({ operation: 'inspect', name: 'settlement/never' });
}

/** What only operators may; takes back what callers have completed. */
async function operateAll(ask: Ask): Promise<void> {
  await ask({ operation: 'reopen', name: 'settlement/done' });
  const held = { name: 'settlement/3', leaseId: freshLease() };
  await ask({ operation: 'acquire', ...held, leaseMs: 60_000, owner: 'worker' });
  await ask({ operation: 'break', ...held });
}
