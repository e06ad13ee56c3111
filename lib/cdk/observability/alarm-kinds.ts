/**
 * The alarms: from how many events within one period on they ring unless told otherwise, and what they say. Operators
 * find each by its name in `docs/guides/operating.md`.
 */
export const alarmKinds = {
  lostLeases: {
    threshold: 1,
    description: 'Holders lost their leases while they were working under them.',
  },
  takeovers: {
    threshold: 5,
    description: 'Locks were taken from holders that had not released them: workers crash or stand still.',
  },
  staleWrites: {
    threshold: 1,
    description: 'Guards refused writes under old tokens: a worker went on after its lease was over.',
  },
  renewalsFailed: {
    threshold: 10,
    description: 'Renewals failed for reasons of the table; leases are lost if that goes on.',
  },
  releasesFailed: {
    threshold: 5,
    description: 'Releases failed: these locks stay held until their leases run out.',
  },
  throttled: {
    threshold: 1,
    description: 'The table throttled requests until the SDK gave up.',
  },
  slicesQuarantined: {
    threshold: 1,
    description: 'Slices of a scan failed so often that no worker takes them any more.',
  },
  runsFailed: {
    threshold: 1,
    description: 'Runs of a scan failed or were out of time.',
  },
  functionErrors: {
    threshold: 10,
    description: 'Functions ended with errors.',
  },
  functionThrottles: {
    threshold: 1,
    description: 'Invocations were refused: the account or the function has no concurrency left.',
  },
  undelivered: {
    threshold: 1,
    description: 'Ends of executions could not be told to the lock service; they lie in its queue.',
  },
  longWaits: {
    threshold: false,
    description: 'Locks are waited for longer than they should be (99th percentile, milliseconds).',
  },
  longHolds: {
    threshold: false,
    description: 'Locks are held longer than they should be (99th percentile, milliseconds).',
  },
} as const satisfies Readonly<
  Record<string, { readonly threshold: number | false; readonly description: string }>
>;

/** The name of an alarm. */
export type AlarmName = keyof typeof alarmKinds;
