/** Tables, buckets and names that the driver and its workers agree on. */
export const leaseTable = 'leases';
export const setTable = 'sets';
export const dataBucket = 'data';
export const outputBucket = 'output';

/** How the workers hold leases: short ones, so that a stopped process outsleeps its own. All in milliseconds. */
export const leaseTerms = {
  leaseMs: 3_000,
  renewEveryMs: 700,
  safetyMarginMs: 200,
  requestTimeoutMs: 600,
  maxAttempts: 3,
  /** There is one engine and so one clock: a wide tolerance would only hide what is wrong. */
  skewMs: 50,
  pollFloorMs: 50,
  pollCeilingMs: 500,
} as const;

/** The workloads that work under a lock, with the locks of each. */
export const lockNames = {
  hold: ['hold/0', 'hold/1', 'hold/2'],
  plain: ['plain/0', 'plain/1', 'plain/2'],
  fenced: ['fenced/0', 'fenced/1', 'fenced/2'],
} as const;

/** A workload under locks. */
export type LockWorkload = keyof typeof lockNames;

/** Of these everybody waits in line. */
export const lineNames: readonly string[] = ['line/0', 'line/1'];

/** A semaphore, and the larger number of permits that workers ask for: some ask for one less. */
export interface SemaphoreTerms {
  readonly name: string;
  readonly permits: number;
}

/** All semaphores. */
export const semaphores: readonly SemaphoreTerms[] = [{ name: 'permits/0', permits: 3 }];

/** All names of locks. */
export const allLockNames: readonly string[] = [...Object.values(lockNames).flat(), ...lineNames];

/** How long a stop must last so that the lease is over and may be taken, in milliseconds. */
export const pastTheLeaseMs = leaseTerms.leaseMs + leaseTerms.skewMs + 500;
