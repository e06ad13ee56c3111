import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { LockClient } from '../../../lib/client/index.js';
import type { LocalS3 } from '../../../lib/local/index.js';
import { FaultyProxy } from '../network/faulty-proxy.js';
import { leaseTable, leaseTerms } from '../terms.js';
import type { Engine } from './engine.js';

/** The driver's own clients: no fault strikes them, restarts of the engine apart. */
export interface CalmClients extends AsyncDisposable {
  readonly dynamo: DynamoDBClient;
  readonly locks: LockClient;
  readonly s3: S3Client;
}

/** Makes them. A proxy in between finds the port that the engine has at the moment. */
export async function calmClients(engine: Engine, s3Endpoint: LocalS3): Promise<CalmClients> {
  const proxy = await FaultyProxy.start(() => engine.port);
  const dynamo = new DynamoDBClient({
    endpoint: proxy.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 5,
  });
  const locks = new LockClient({ table: leaseTable, client: dynamo, owner: 'driver', ...leaseTerms });
  const s3 = new S3Client(s3Endpoint.clientConfig());
  return {
    dynamo,
    locks,
    s3,
    async [Symbol.asyncDispose]() {
      await locks.close();
      dynamo.destroy();
      s3.destroy();
      await proxy[Symbol.asyncDispose]();
    },
  };
}
