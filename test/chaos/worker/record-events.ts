import { subscribe } from 'node:diagnostics_channel';
import type { LeaseEvents } from '../../../lib/events/events.js';
import { askedAtMs } from './asking.js';
import type { Bench } from './bench.js';

/** Writes what the library tells of every lease, of locks and slices alike, into the journal. */
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
}

function on<Name extends keyof LeaseEvents>(name: Name, listener: (event: LeaseEvents[Name]) => void): void {
  subscribe(`leasehold:${name}`, (event) => listener(event as LeaseEvents[Name]));
}
