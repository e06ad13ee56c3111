import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { seededRandom } from '../../../bin/start/faults/seeded-random.js';
import { LockClient } from '../../../lib/client/index.js';
import { Journal } from '../history/journal.js';
import { Board } from '../scan/board.js';
import { leaseTable, leaseTerms } from '../terms.js';
import type { WorkerOrders } from './orders.js';

/** What a worker works with: clients whose every byte goes through the worker's own proxies. */
export interface Bench {
  readonly orders: WorkerOrders;
  readonly journal: Journal;
  readonly board: Board;
  readonly locks: LockClient;
  readonly documents: DynamoDBDocumentClient;
  readonly s3: S3Client;
  /** A whole number from `least` to below `limit`. */
  readonly between: (least: number, limit: number) => number;
}

/** Sets one up. */
export function openBench(orders: WorkerOrders): Bench {
  const { requestTimeoutMs, maxAttempts } = leaseTerms;
  const access = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts,
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      connectionTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  };
  const client = new DynamoDBClient({ ...access, endpoint: orders.dynamoEndpoint });
  const random = seededRandom(orders.seed + orders.worker * 1_000 + orders.generation);
  return {
    orders,
    journal: new Journal(orders.journal),
    board: new Board(orders.board),
    locks: new LockClient({
      table: leaseTable,
      client,
      owner: `worker-${orders.worker}/${orders.generation}`,
      ...leaseTerms,
    }),
    documents: DynamoDBDocumentClient.from(client),
    s3: new S3Client({ ...access, endpoint: orders.s3Endpoint, forcePathStyle: true }),
    between: (least, limit) => least + random(limit - least),
  };
}
