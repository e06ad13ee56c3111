import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { type SdkError, toFailure, toSdkError, UsageError } from '../../errors/index.js';
import { deadlineAfter, type Runtime, sendUntil } from '../../runtime/index.js';

/** The end of one request, in milliseconds: a connection that hangs costs this much. */
const requestTimeoutMs = 10_000;

/** Requests that got no answer in time are sent again this often; the SDK's own retries come on top. */
const maxTries = 3;

/**
 * The only way of the scan to S3: every request is bounded in time, can be aborted, and its failure has a type.
 */
export class S3Sender {
  readonly #s3: Pick<S3Client, 'send'>;
  readonly #runtime: Runtime;
  #count = 0;
  #answered = false;

  constructor(s3: Pick<S3Client, 'send'>, runtime: Runtime) {
    this.#s3 = s3;
    this.#runtime = runtime;
  }

  /** Requests sent so far, the SDK's retries included. */
  get count(): number {
    return this.#count;
  }

  /**
   * Sends one command.
   *
   * @param bucket for messages
   * @param timeoutMs the end of one try, in milliseconds
   * @throws UsageError when there is no such bucket; StoreError with the SDK's error as cause; the signal's reason
   */
  async send<Output>(
    command: unknown,
    bucket: string,
    signal?: AbortSignal,
    timeoutMs = requestTimeoutMs,
    tries = maxTries,
  ): Promise<Output> {
    for (let attempt = 1; ; attempt++) {
      const deadline = deadlineAfter(this.#runtime, timeoutMs, signal);
      try {
        // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their output
        const output: any = await sendUntil(deadline, (abortSignal) => {
          this.#count += 1;
          return this.#s3.send(command as never, { abortSignal });
        });
        this.#countRetries(output);
        this.#answered = true;
        return output;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        this.#countRetries(error as SdkError);
        // A connection that hangs says nothing of the next one.
        if (deadline.expired() && attempt < tries) continue;
        throw s3ErrorOf(deadline.expired() ? deadline.signal.reason : error, bucket, this.#answered);
      }
    }
  }

  #countRetries(answer: Pick<SdkError, '$metadata'> | undefined): void {
    this.#count += (answer?.$metadata?.attempts ?? 1) - 1;
  }
}

function s3ErrorOf(error: unknown, bucket: string, answeredBefore: boolean): Error {
  const cause = toSdkError(error);
  if (cause.name === 'NoSuchBucket') {
    return new UsageError(`There is no bucket "${bucket}"`, undefined, { cause });
  }
  return toFailure(error, { what: `Bucket "${bucket}"`, answeredBefore });
}

/**
 * How an S3 client finds the bucket of a scan, wherever it is made: a bucket may lie in another Region than whoever
 * scans it, and S3 then says which. An address of one's own serves one Region, and has no host name for each bucket.
 *
 * @param region where to ask first. @default as the AWS SDK finds it
 * @param endpoint another address of S3. @default AWS
 */
export function s3Address({
  region,
  endpoint,
}: {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
}): S3ClientConfig {
  return {
    ...(region !== undefined && { region }),
    ...(endpoint === undefined ? { followRegionRedirects: true } : { endpoint, forcePathStyle: true }),
  };
}

/**
 * Says with every request of a client that whoever asks pays for it. Buckets whose owner demands that refuse all others;
 * to other buckets it means nothing.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/RequesterPaysBuckets.html
 */
export function payForRequests(s3: S3Client): void {
  s3.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      headers['x-amz-request-payer'] = 'requester';
      return next(args);
    },
    { step: 'build', name: 'leaseholdRequesterPays' },
  );
}
