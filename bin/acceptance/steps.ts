import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand, InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { AlreadyCompletedError, LockClient, LockHeldError } from '../../lib/index.js';
import type { AcceptanceRecord } from './record.js';
import { expect } from './record.js';

/** What was deployed. */
export interface Outputs {
  readonly Bucket: string;
  readonly Table: string;
  readonly Service: string;
  readonly Operators: string;
  readonly Machine: string;
  readonly Scan: string;
}

/** The means to look at it. */
export interface Means {
  readonly outputs: Outputs;
  readonly dynamo: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly s3: S3Client;
  readonly sfn: SFNClient;
  readonly signal: AbortSignal;
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(done, ms);
    function done() {
      signal.removeEventListener('abort', cut);
      resolve();
    }
    function cut() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener('abort', cut, { once: true });
  });

/** A client that goes through the deployed service. */
export function throughService({ outputs, lambda }: Means, owner?: string): LockClient {
  return new LockClient({
    service: outputs.Service,
    lambdaClient: lambda,
    requestTimeoutMs: 8_000,
    leaseMs: 60_000,
    ...(owner && { owner }),
  });
}

/** What a lock promises, asked of the deployed service. */
export async function lookAtContract(means: Means, record: AcceptanceRecord): Promise<void> {
  const { signal } = means;
  await using locks = throughService(means);
  await record.look(
    'contract: granted once, refused to others, tokens rise',
    async () => {
      const first = await locks.acquire('acceptance/one');
      await using other = throughService(means);
      const refusal = await other.acquire('acceptance/one').catch((error: unknown) => error);
      expect(refusal instanceof LockHeldError, 'a LockHeldError', String(refusal));
      await first.renew();
      await first.release();
      const second = await other.acquire('acceptance/one');
      expect(second.token > first.token, 'a higher token', [first.token, second.token]);
      await second.release();
    },
    signal,
  );
  await record.look(
    'contract: a checkpoint goes to the next holder',
    async () => {
      const first = await locks.acquire('acceptance/checkpoint');
      await first.save({ page: 7 });
      await first.release();
      const second = await locks.acquire('acceptance/checkpoint');
      expect(JSON.stringify(second.checkpoint) === '{"page":7}', 'the checkpoint', second.checkpoint);
      await second.release();
    },
    signal,
  );
  await record.look(
    'contract: what is completed runs once',
    async () => {
      const ran: number[] = [];
      const runs = [1, 2, 3].map((i) => locks.once('acceptance/once', () => ran.push(i)));
      await Promise.allSettled(runs);
      await locks.once('acceptance/once', () => ran.push(4));
      expect(ran.length === 1, 'one run', ran);
      const again = await locks.acquire('acceptance/once').catch((error: unknown) => error);
      expect(again instanceof AlreadyCompletedError, 'an AlreadyCompletedError', String(again));
    },
    signal,
  );
  await record.look(
    'contract: operators break a lock, its holder is told',
    async () => {
      const lease = await locks.acquire('acceptance/broken');
      await using operators = new LockClient({
        service: means.outputs.Operators,
        lambdaClient: means.lambda,
        requestTimeoutMs: 8_000,
        leaseMs: 60_000,
      });
      await operators.break('acceptance/broken', lease.leaseId);
      await lease.renew().catch(() => {});
      expect(!lease.isHeld, 'a lost lease');
    },
    signal,
  );
}

/** Many want one lock at once: never two have it. */
export async function lookAtContention(means: Means, record: AcceptanceRecord): Promise<void> {
  const clients = 6;
  const rounds = 3;
  await record.look(
    `contention: ${clients} clients, ${rounds} rounds each, one lock`,
    async () => {
      const tokens: number[] = [];
      let inside = 0;
      let most = 0;
      const work = async (i: number) => {
        await using locks = throughService(means, `client-${i}`);
        for (let round = 0; round < rounds; round += 1) {
          await locks.withLock(
            'acceptance/contended',
            async ({ token }) => {
              inside += 1;
              most = Math.max(most, inside);
              tokens.push(token);
              await pause(20, means.signal);
              inside -= 1;
            },
            { waitMs: 120_000, signal: means.signal },
          );
        }
      };
      await Promise.all(Array.from({ length: clients }, (_, i) => work(i)));
      expect(most === 1, 'one holder at a time', most);
      expect(
        tokens.every((token, i) => i === 0 || token > tokens[i - 1]!),
        'rising tokens',
        tokens,
      );
      expect(tokens.length === clients * rounds, 'every round', tokens.length);
    },
    means.signal,
  );
}

/** A locked section: it ends well, fails, is stopped; the lock is free after each. */
export async function lookAtSection(means: Means, record: AcceptanceRecord): Promise<void> {
  const { sfn, outputs, signal } = means;
  const start = async (input: { readonly name: string; readonly act: string }) =>
    (
      await sfn.send(
        new StartExecutionCommand({ stateMachineArn: outputs.Machine, input: JSON.stringify(input) }),
      )
    ).executionArn!;
  const ended = async (executionArn: string) => {
    for (let i = 0; i < 240; i += 1) {
      const { status, error, output } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      if (status !== 'RUNNING') return { status, error, output };
      await pause(500, signal);
    }
    throw new Error('the execution does not end');
  };
  await using locks = throughService(means);
  const isFree = (name: string) => locks.withLock(name, () => {}, { waitMs: 120_000, signal });
  await record.look(
    'section: ends well, with a token, and gives the lock back',
    async () => {
      const end = await ended(await start({ name: 'acceptance/section', act: 'go' }));
      expect(
        end.status === 'SUCCEEDED' && /"token":\s*\d+/.test(end.output ?? ''),
        'a success with a token',
        end,
      );
      await isFree('acceptance/section');
    },
    signal,
  );
  await record.look(
    'section: a lock that is held fails it with LockHeldError',
    async () => {
      await locks.withLock('acceptance/section-held', async () => {
        const end = await ended(await start({ name: 'acceptance/section-held', act: 'go' }));
        expect(end.status === 'FAILED' && end.error === 'LockHeldError', 'LockHeldError', end);
      });
    },
    signal,
  );
  await record.look(
    'section: a failure of its states stays theirs, and gives the lock back',
    async () => {
      const end = await ended(await start({ name: 'acceptance/section-fails', act: 'fail' }));
      expect(end.status === 'FAILED' && end.error === 'CardRefused', 'CardRefused', end);
      await isFree('acceptance/section-fails');
    },
    signal,
  );
  await record.look(
    'section: StopExecution frees the lock',
    async () => {
      const name = 'acceptance/section-stopped';
      const executionArn = await start({ name, act: 'wait' });
      for (let i = 0; i < 120 && (await locks.inspect(name))?.state !== 'held'; i += 1)
        await pause(500, signal);
      expect((await locks.inspect(name))?.state === 'held', 'a lock held by the execution');
      await sfn.send(new StopExecutionCommand({ executionArn }));
      await isFree(name);
    },
    signal,
  );
}

/** Round trips, how far the front ends' clocks are apart, and what a cold start costs. */
export async function measure(means: Means, record: AcceptanceRecord): Promise<void> {
  const { dynamo, lambda, outputs, signal } = means;
  const ask = (operation: string) =>
    new InvokeCommand({
      FunctionName: outputs.Service,
      Payload: JSON.stringify({ operation, name: 'acceptance/none' }),
    });
  const timed = async (send: () => Promise<unknown>) => {
    signal.throwIfAborted();
    const startedMs = performance.now();
    await send();
    return performance.now() - startedMs;
  };
  const offsets: number[] = [];
  const direct = new LockClient({ table: outputs.Table, client: dynamo });
  dynamo.middlewareStack.add(
    (next) => async (args) => {
      const sentMs = Date.now();
      const result = await next(args);
      const date = Date.parse((result.response as { headers?: { date?: string } }).headers?.date ?? '');
      // The header has whole seconds: the truth lies up to one above.
      if (Number.isFinite(date)) offsets.push(date - (sentMs + Date.now()) / 2);
      return result;
    },
    { step: 'deserialize', name: 'leaseholdAcceptanceDates' },
  );
  record.measured.coldStartMs = Math.round(await timed(() => lambda.send(ask('inspect'))));
  const table: number[] = [];
  const service: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    table.push(await timed(() => direct.inspect('acceptance/none')));
    service.push(await timed(() => lambda.send(ask('inspect'))));
  }
  await direct.close();
  const median = (all: number[]) => Math.round([...all].sort((a, b) => a - b)[all.length >> 1]! * 10) / 10;
  record.measured.tableRoundTripMs = median(table);
  record.measured.serviceRoundTripMs = median(service);
  if (offsets.length > 0) {
    // Each offset is up to a second low by the cut of the header; what exceeds that is disagreement.
    const spread = Math.max(...offsets) - Math.min(...offsets);
    record.measured.dateHeadersDisagreeMs = Math.max(0, Math.round(spread - 1_000));
  }
}

/** Looks whether anything is left of what was deployed. */
export async function findLeftovers({
  outputs,
  dynamo,
  lambda,
  s3,
}: Omit<Means, 'signal' | 'sfn'>): Promise<string[]> {
  const gone = async (what: string, ask: () => Promise<unknown>) =>
    ask().then(
      () => [what],
      () => [],
    );
  const found = await Promise.all([
    gone(`table ${outputs.Table}`, () => dynamo.send(new DescribeTableCommand({ TableName: outputs.Table }))),
    gone(`bucket ${outputs.Bucket}`, () => s3.send(new HeadBucketCommand({ Bucket: outputs.Bucket }))),
    gone(`function ${outputs.Service}`, () =>
      lambda.send(new GetFunctionCommand({ FunctionName: outputs.Service })),
    ),
  ]);
  return found.flat();
}
