import { subscribe } from 'node:diagnostics_channel';
import type { LeaseEvents } from '../../../lib/events/events.js';
import type { ScanEvents } from '../../../lib/scan/index.js';
import { askedAtMs } from './asking.js';
import type { Bench } from './bench.js';

/** Writes what the library tells of every lease, of locks and slices alike, and of every split into the journal. */
export function recordEvents({ journal, locks }: Bench): void {
  on('granted', ({ name, token, leaseId, owner, takenOverFrom, adopted }) => {
    journal.write({
      kind: 'granted',
      askedAtMs: askedAtMs(),
      name,
      token,
      leaseId,
      owner,
      adopted,
      ...(takenOverFrom && { takenFrom: { owner: takenOverFrom.owner, token: takenOverFrom.token } }),
      latest: locks.context.clock.now().latest,
    });
  });
  on('lost', ({ name, token, reason }) => journal.write({ kind: 'lost', name, token, reason }));
  on('stale-write-refused', ({ name, token, currentToken }) =>
    journal.write({ kind: 'refused', name, token, ...(currentToken !== undefined && { currentToken }) }),
  );
  on('scan-slice-split', ({ run, slice }) => journal.write({ kind: 'split', run, slice }));
  on('scan-split-refused', ({ run, slice }) => journal.write({ kind: 'split-refused', run, slice }));
}

type Events = LeaseEvents & ScanEvents;

function on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void {
  subscribe(`leasehold:${name}`, (event) => listener(event as Events[Name]));
}
