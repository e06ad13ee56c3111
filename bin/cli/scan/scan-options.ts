import { randomBytes } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../../../lib/errors/index.js';
import type { GlobalOptions } from '../connection.js';

/** What `leasehold scan` was told. */
export interface ScanOptions extends GlobalOptions {
  readonly location?: S3Location;
  readonly seats?: number;
  readonly slices?: number;
  readonly run?: string;
  /** Milliseconds. */
  readonly lease?: number;
  readonly pageSize?: number;
  readonly cutsFrom?: string;
  readonly output?: S3Location;
  readonly requesterPays?: boolean;
  readonly s3Endpoint?: string;
  readonly stateMachine?: string;
}

/** Workers of a scan in this process: listing is waiting for S3, so there may be more of them than cores. */
export const defaultSeats = 8;

/** Requests must fit in a lease three times, and a request to another continent takes a good part of a second. */
const minLeaseMs = 1_000;

/** What is set where the state machine is deployed, and can't be said at its start. */
const onlyHere = ['lease', 'output', 's3Endpoint'] as const;

/** @throws UsageError if options do not go together */
export function checkScanOptions(options: ScanOptions): void {
  if (options.stateMachine === undefined) {
    if (options.lease !== undefined && options.lease < minLeaseMs) {
      throw new UsageError(`--lease: must be at least 1s, got ${options.lease}ms`);
    }
    if (options.location) return;
    throw new UsageError('Say what to scan: s3://bucket/prefix, or --state-machine for the deployed scan');
  }
  for (const name of onlyHere) {
    if (options[name] === undefined) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${flag} has no effect with --state-machine: it is set where that is deployed`);
  }
}

/** A name for a run that was not given one: sorts by time, and is short enough to be typed again. */
export function newRunName(): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomBytes(3).toString('hex')}`;
}

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
