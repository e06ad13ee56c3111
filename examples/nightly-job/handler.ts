import { LockClient } from 'leasehold';

const locks = new LockClient({ table: process.env.LEASE_TABLE ?? 'leases' });

/** What EventBridge Scheduler sends: when the run was due, not when it came to be started. */
export interface ScheduledEvent {
  readonly scheduledTime: string;
}

/**
 * Makes the report of the night. A scheduler may start it twice, and several Regions' schedulers at once: the slot is
 * had by one run. A run that throws or crashes leaves its slot open, so that a retry does it.
 */
export async function handler({ scheduledTime }: ScheduledEvent) {
  const outcome = await locks.cronSlot('nightly-report', new Date(scheduledTime), async (lease) => {
    lease.throwIfLost();
    return { report: `made under token ${lease.token}` };
  });
  return outcome.ran ? { ran: true, ...outcome.result } : { ran: false, reason: outcome.reason };
}
