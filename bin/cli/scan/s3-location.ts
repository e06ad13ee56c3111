import { InvalidArgumentError } from 'commander';

/** A bucket and a key prefix in it; an empty prefix is the whole bucket. */
export interface S3Location {
  readonly bucket: string;
  readonly prefix: string;
}

/**
 * Reads `s3://bucket/prefix`. The prefix is taken as it stands: nothing is decoded, and no slash is added, since
 * `s3://b/log` means keys that begin with `log`, `logs/…` among them.
 *
 * @throws InvalidArgumentError, which commander shows as a usage error
 */
export function s3Location(text: string): S3Location {
  const match = /^s3:\/\/([^/]+)(?:\/(.*))?$/su.exec(text);
  if (match) return { bucket: match[1]!, prefix: match[2] ?? '' };
  throw new InvalidArgumentError('It must look like s3://bucket or s3://bucket/prefix.');
}

/** As it is written on the command line. */
export function locationText({ bucket, prefix }: S3Location): string {
  return `s3://${bucket}/${prefix}`;
}
