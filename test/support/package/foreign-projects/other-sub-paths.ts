import type { S3Client } from '@aws-sdk/client-s3';
import type { LockClient } from 'leasehold';
import { guardedPutObject } from 'leasehold/fence/s3';
import { withLockedHandler } from 'leasehold/lambda';
import { inventory, planScan } from 'leasehold/scan';

declare const locks: LockClient;
declare const s3: S3Client;

export const handler = withLockedHandler(
  (event: { readonly id: string }) => event.id,
  async (event, _context, lease) => {
    const written = await guardedPutObject(s3, lease, { Bucket: 'b', Key: event.id, Body: '{}' });
    const etag: string | undefined = written.ETag;
    return etag;
  },
  { locks },
);
export const parts: readonly unknown[] = [planScan, inventory];
