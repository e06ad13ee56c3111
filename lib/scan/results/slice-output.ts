import { PutObjectCommand } from '@aws-sdk/client-s3';
import { UsageError } from '../../errors/index.js';
import type { Lease } from '../../lease/index.js';
import { maxKeyBytes } from '../keys/key-order.js';
import type { S3Sender } from '../listing/s3-requests.js';
import type { SliceOutput } from './processor.js';

/** Where a run's output goes. */
export interface OutputPlace {
  readonly bucket: string;
  /** Without a slash at its end; may be empty. */
  readonly prefix: string;
}

/** All that a run writes lies below this. */
export function runOutputPrefix(place: OutputPlace, run: string): string {
  const base = place.prefix.replace(/\/+$/, '');
  return `${base === '' ? '' : `${base}/`}${run}/`;
}

/** All that is written for a slice lies below this. */
export function sliceOutputPrefix(place: OutputPlace, run: string, sliceId: string): string {
  return `${runOutputPrefix(place, run)}${sliceId}/`;
}

/** What one lease of a slice writes lies below this: an older holder writes elsewhere. */
export function leaseOutputPrefix(place: OutputPlace, run: string, sliceId: string, token: number): string {
  return `${sliceOutputPrefix(place, run, sliceId)}${token}/`;
}

/**
 * The output of one page.
 *
 * @param place the run's, if it has one
 * @param prefix below which this page's objects lie
 */
export function pageOutput(
  requests: S3Sender,
  place: OutputPlace | undefined,
  prefix: string,
  lease: Lease,
  signal: AbortSignal,
): SliceOutput {
  return {
    async put(relativeKey, body, options) {
      if (!place) throw new UsageError('The scan was planned without an output bucket', lease.name);
      const key = `${prefix}${relativeKey}`;
      if (relativeKey === '' || relativeKey.startsWith('/') || Buffer.byteLength(key) > maxKeyBytes) {
        throw new UsageError(`Not a key for the output of a slice: "${relativeKey}"`, lease.name);
      }
      lease.throwIfLost();
      const command = new PutObjectCommand({
        Bucket: place.bucket,
        Key: key,
        Body: body,
        ContentType: options?.contentType,
      });
      await requests.send(command, place.bucket, signal);
      return { bucket: place.bucket, key };
    },
  };
}
