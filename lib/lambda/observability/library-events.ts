import { subscribe } from 'node:diagnostics_channel';
import type { LeaseEvents } from '../../events/events.js';
import type { ScanEvents } from '../../scan/seats/scan-events.js';

/** Everything that the library tells, by name; the channel is `leasehold:<name>`. */
export type LibraryEvents = LeaseEvents & ScanEvents;

/** A listener for each event that is of interest. */
export type Listeners = { readonly [Name in keyof LibraryEvents]?: (event: LibraryEvents[Name]) => void };

/**
 * Listens from now on, for as long as the process lives: what happens between two invocations, after a thaw for
 * instance, is told with the next one.
 */
export function listen(listeners: Listeners): void {
  for (const [name, listener] of Object.entries(listeners)) {
    subscribe(`leasehold:${name}`, (event) => {
      try {
        listener(event as never);
      } catch {
        // Node would end the process for it, and with it the work that is only being watched.
      }
    });
  }
}
