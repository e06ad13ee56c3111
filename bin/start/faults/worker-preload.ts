/**
 * Loaded into every worker before its handler: tells this run's events to the parent, and strikes the worker where
 * the orders say so. The handler knows nothing of it; all it does is publish on diagnostics channels.
 */
import { subscribe } from 'node:diagnostics_channel';
import { scanChannels } from '../../../lib/scan/seats/scan-events.js';
import type { WorkerEvent, WorkerMessage } from '../worker-event.js';
import { readOrders, recordStrike, type StrikeOrders } from './strike.js';

const channels = [...scanChannels, 'leasehold:stale-write-refused'];
const signals = { kill: 'SIGKILL', stop: 'SIGSTOP' } as const;
const directory = process.env.LEASEHOLD_FAULT_DIRECTORY;
let orders: StrikeOrders | undefined;

for (const channel of channels) {
  const type = channel.slice('leasehold:'.length);
  subscribe(channel, (published) => {
    // A lease and an error are no plain data.
    const { lease: _lease, error: _error, ...plain } = published as Record<string, unknown>;
    const event = { ...plain, type } as unknown as WorkerEvent;
    const message: WorkerMessage = { workerEvent: event };
    // The callback takes the error of a channel that is closed already.
    process.send?.(message, undefined, undefined, () => {});
    if (event.type === 'scan-page-claimed') strike(event);
  });
}

/** The page is claimed and the processor comes next: the worst moment to die, or to be stopped. */
function strike(event: Extract<WorkerEvent, { readonly type: 'scan-page-claimed' }>): void {
  if (!directory) return;
  orders ??= readOrders(directory);
  for (const planned of orders.strikes) {
    // A page that is not full is the slice's last.
    const due = event.pages >= planned.page || event.objects < orders.pageSize;
    if (planned.slice !== event.slice || !due) continue;
    const { seat, token, pages: page } = event;
    if (!recordStrike(directory, { ...planned, page, seat, token, pid: process.pid })) continue;
    process.kill(process.pid, signals[planned.kind]);
  }
}
