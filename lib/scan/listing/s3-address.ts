import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';

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
