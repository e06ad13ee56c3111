import { S3Client } from '@aws-sdk/client-s3';
import { createScanHandlers } from 'leasehold/scan';
import { countLines } from './processor.js';

/** What `ScanProcessor.fromEntry` deploys: the workers and the verification, with one and the same processor. */
export const { work, verify } = createScanHandlers({ processor: countLines(new S3Client({})) });
