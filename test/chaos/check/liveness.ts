import type { LockClient } from '../../../lib/client/index.js';
import { machineMs } from '../machine-clock.js';
import { leaseTerms, type SemaphoreTerms } from '../terms.js';
import type { Violation } from './violation.js';

/** The uncertainty of store time is at most the resolution of its source. */
const uncertaintyMs = 1_000;
/** For requests on a machine that has a dozen other things to do. */
const slackMs = 2_000;

/** Within this time somebody gets any lock after its holder has crashed (invariant I6), in milliseconds. */
export const livenessBoundMs =
  leaseTerms.leaseMs + leaseTerms.skewMs + uncertaintyMs + leaseTerms.pollCeilingMs + slackMs;

/** How it went. */
export interface Liveness {
  readonly locks: number;
  readonly boundMs: number;
  /** The longest that one took, in milliseconds; of those that were acquired. */
  readonly slowestMs: number;
  readonly violations: readonly Violation[];
}

/** Acquires every lock once, and every permit, all at the same time: their holders were just killed, and nothing stands in the way. */
export async function liveness(
  locks: LockClient,
  names: readonly string[],
  semaphores: readonly SemaphoreTerms[] = [],
): Promise<Liveness> {
  const sinceMs = machineMs();
  const waitMs = livenessBoundMs;
  const wanted = [
    ...names.map((name) => ({ name, acquire: () => locks.acquire(name, { waitMs }) })),
    ...semaphores.flatMap(({ name, permits }) =>
      Array.from({ length: permits }, () => ({
        name,
        acquire: () => locks.semaphore(name, { permits }).acquire({ waitMs }),
      })),
    ),
  ];
  const tries = await Promise.all(
    wanted.map(async ({ name, acquire }) => {
      try {
        const lease = await acquire();
        const tookMs = machineMs() - sinceMs;
        await lease.release();
        return { tookMs };
      } catch (error) {
        const held = await locks.inspect(name).catch(() => undefined);
        const { name: errorName, message } = error as Error;
        const violation: Violation = {
          kind: 'liveness',
          what: `"${name}" could not be acquired within ${livenessBoundMs} ms after the faults: ${message}`,
          evidence: [{ error: errorName, ...held }],
        };
        return { violation };
      }
    }),
  );
  return {
    locks: wanted.length,
    boundMs: livenessBoundMs,
    slowestMs: Math.max(0, ...tries.map(({ tookMs }) => tookMs ?? 0)),
    violations: tries.flatMap(({ violation }) => violation ?? []),
  };
}

/** A scan that is not over although nobody disturbs it any more. */
export function unfinishedScan(run: string, waitedMs: number): Violation {
  return {
    kind: 'liveness',
    what: `scan ${run} was not over ${waitedMs} ms after the faults`,
    evidence: [],
  };
}
