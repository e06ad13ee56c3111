import type { Runtime } from '../../../lib/runtime/index.js';
import { S3Sender } from '../../../lib/scan/listing/s3-requests.js';
import { type CutPlan, planCuts } from '../../../lib/scan/plan/plan-cuts.js';
import { PlanRequests } from '../../../lib/scan/plan/plan-requests.js';
import { HandClocks } from '../hand-clocks.js';
import { MemoryBucket } from './memory-bucket.js';

/** What a plan of a bucket in memory is made with. */
export interface Planning {
  readonly keys: readonly string[];
  readonly prefix?: string;
  /** @default 10 */
  readonly pageSize?: number;
  /** Requests in all. @default 100 */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** Local clocks that stand still, and timers that fire by hand. */
export class TimersByHand {
  readonly #timers = new Map<() => void, number>();

  readonly runtime: Runtime = {
    ...new HandClocks(),
    setAwaitedTimer: (wake, delayMs) => {
      this.#timers.set(wake, delayMs);
      return () => this.#timers.delete(wake);
    },
  };

  /** When those that are set are due. */
  get delaysMs(): readonly number[] {
    return [...this.#timers.values()];
  }

  fire(): void {
    for (const wake of this.#timers.keys()) wake();
  }
}

/** The bucket, and the requests of one planning. */
export function planningOf({ keys, prefix = '', pageSize = 10, limit = 100, signal }: Planning) {
  const bucket = new MemoryBucket(keys);
  const timers = new TimersByHand();
  const s3 = new S3Sender(bucket.s3, timers.runtime);
  const requests = new PlanRequests(s3, { bucket: 'data', prefix }, { pageSize, limit, signal });
  return { bucket, requests, timers };
}

/** The cuts for so many slices, and the bucket that was asked. */
export async function cutsFor(
  wanted: number,
  planning: Planning,
  given: readonly string[] = [],
): Promise<CutPlan & { readonly bucket: MemoryBucket }> {
  const { bucket, requests } = planningOf({ limit: 3 * wanted, ...planning });
  return { ...(await planCuts(requests, wanted, given)), bucket };
}
