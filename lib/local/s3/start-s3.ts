import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse } from '../../errors/index.js';
import { checkOptions } from '../../lease/check-options.js';
import { Bucket } from './bucket.js';
import { type S3FaultHook, S3RequestCounter, type S3Requests } from './s3-requests.js';
import { serveRequest } from './serve-request.js';

const idleConnectionMs = 60_000;

/** What {@link startS3} serves. */
export interface StartS3Options {
  /** Bucket name → directory. Keys are the relative paths of the regular files in it; links are not followed. */
  readonly buckets: Readonly<Record<string, string>>;
  /** Make directories that are not there. Default `false`. */
  readonly createBuckets?: boolean;
  /** Asked for every request. Default: all is well. */
  readonly faults?: S3FaultHook;
}

/** Settings for an `S3Client`, told without its types: who only locks need not have it installed. */
export interface LocalS3ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly forcePathStyle: boolean;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** An S3 endpoint of this process. */
export interface LocalS3 extends AsyncDisposable {
  /** Base URL, without a trailing slash. */
  readonly endpoint: string;
  readonly requests: S3Requests;
  /**
   * Settings for an SDK client of this endpoint.
   *
   * @returns endpoint, path style, a region and dummy credentials; a new object at each call.
   */
  clientConfig(): LocalS3ClientConfig;
  /** Ends all connections and waits until the port is free. A second call waits for the first. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Serves directories as S3 buckets, in this process, on a free port of loopback. It does not keep the process
 * alive. Requests are not authenticated.
 *
 * Knows ListObjectsV2, GetObject, HeadObject, PutObject, DeleteObject and HeadBucket, in path style. A file and
 * a folder can't share a name, so an object can't lie under a key that is a prefix folder of another.
 *
 * @throws UsageError for an option that can't be right; Error when a directory is not there and `createBuckets` is not set.
 */
export async function startS3(options: StartS3Options): Promise<LocalS3> {
  checkOptions('startS3', options, ['buckets', 'createBuckets', 'faults']);
  if (!isRecordOfTexts(options.buckets))
    refuse('buckets', 'an object, with a directory for each bucket’s name', options.buckets);
  const buckets = new Map<string, Bucket>();
  for (const [name, directory] of Object.entries(options.buckets)) {
    buckets.set(name, await Bucket.open(name, directory, options.createBuckets ?? false));
  }
  const counter = new S3RequestCounter();
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const served = { buckets, counter, faults: options.faults, stopped: stopping.signal };
  const server = createServer((request, response) => {
    const answer = serveRequest(served, request, response).finally(() => running.delete(answer));
    running.add(answer);
  });
  server.keepAliveTimeout = idleConnectionMs;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const end = async (): Promise<void> => {
    stopping.abort();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    await Promise.all(running);
    for (const bucket of buckets.values()) await bucket.close();
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= end().catch(() => {});
    return stopped;
  };
  return {
    endpoint,
    requests: counter,
    clientConfig: () => ({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function isRecordOfTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string');
}
