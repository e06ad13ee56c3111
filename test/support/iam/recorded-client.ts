import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from 'vitest';
import { LockClient } from '../../../lib/client/index.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../lib/local/index.js';
import { shortLease } from '../stage.js';
import type { RecordedRequest } from './recorded-request.js';
import { type RequestRecorder, recordRequests } from './request-recorder.js';

/** What a table-mode client sends to the table `leases` on a real engine. */
export interface RecordedClient {
  /** What is sent while something is done by a new client: its very first request, which sets its clock, with it. */
  readonly sent: (
    work: (locks: LockClient, client: DynamoDBClient) => Promise<unknown>,
  ) => Promise<readonly RecordedRequest[]>;
}

/** An engine and a recorder in front of it, for all tests of a suite. */
export function useRecordedClient(): RecordedClient {
  let dynamo: LocalDynamo;
  let recorder: RequestRecorder<{ readonly dynamodb: string }>;
  beforeAll(async () => {
    dynamo = await startDynamo({ allowDocker: false });
    const raw = new DynamoDBClient(dynamo.clientConfig());
    await createLeaseTable(raw, 'leases');
    raw.destroy();
    recorder = await recordRequests({ dynamodb: dynamo.endpoint });
  });
  afterAll(async () => {
    await recorder?.[Symbol.asyncDispose]();
    await dynamo?.stop();
  });
  return {
    async sent(work) {
      recorder.take();
      const client = new DynamoDBClient({
        ...dynamo.clientConfig(),
        endpoint: recorder.endpoints.dynamodb,
      });
      const locks = new LockClient({ ...shortLease, table: 'leases', client });
      try {
        await work(locks, client);
      } finally {
        await locks.close();
        client.destroy();
      }
      return recorder.take();
    },
  };
}
