/*
 * A worker in a process of its own, for the measurement of its memory: works on a run, prints the most that its heap
 * held after a collection, and the most that was resident at those moments. Arguments: DynamoDB's endpoint, S3's endpoint, table, run.
 */
import { subscribe } from 'node:diagnostics_channel';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { LockClient } from '../../../lib/client/index.js';
import { inventory, workSeat } from '../../../lib/scan/index.js';

const [dynamoEndpoint, s3Endpoint, table, run] = process.argv.slice(2) as [string, string, string, string];
const config = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const client = new DynamoDBClient({ ...config, endpoint: dynamoEndpoint });
const s3 = new S3Client({ ...config, endpoint: s3Endpoint, forcePathStyle: true });
const locks = new LockClient({ table, client });

let heapBytes = 0;
let residentBytes = 0;
let pages = 0;
subscribe('leasehold:scan-page-done', () => {
  if (++pages % 5 !== 0) return;
  globalThis.gc!();
  const { heapUsed, rss } = process.memoryUsage();
  heapBytes = Math.max(heapBytes, heapUsed);
  residentBytes = Math.max(residentBytes, rss);
});
const answer = await workSeat({ locks, s3, run, seat: 0, processor: inventory() });
process.stdout.write(`${JSON.stringify({ heapBytes, residentBytes, objects: answer.objects })}\n`);
await locks.close();
client.destroy();
s3.destroy();
