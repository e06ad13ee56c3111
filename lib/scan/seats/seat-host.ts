import type { S3Client } from '@aws-sdk/client-s3';
import type { LeaseContext } from '../../lease/index.js';
import type { Processor } from '../results/processor.js';
import type { ScanRun } from '../slices/scan-run.js';
import type { SeatTime } from './seat-time.js';

/** What the parts of a seat share. */
export interface SeatHost {
  readonly context: LeaseContext;
  readonly s3: Pick<S3Client, 'send'>;
  readonly run: ScanRun;
  readonly seat: number;
  readonly processor: Processor;
  readonly time: SeatTime;
  readonly pageTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The owner of a seat's leases: a retried seat is the same owner. */
export function seatOwner(run: string, seat: number): string {
  return `scan/${run}/seat-${seat}`;
}
