import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ScanEvents } from '../../../lib/scan/index.js';

/** Listens to a scan's event until disposed of. The listener runs synchronously, in the midst of the seat's work. */
export function onScan<Name extends keyof ScanEvents>(
  name: Name,
  run: string,
  listener: (event: ScanEvents[Name]) => void,
): Disposable {
  const receive = (message: unknown) => {
    const event = message as ScanEvents[Name];
    if (event.run === run) listener(event);
  };
  subscribe(`leasehold:${name}`, receive);
  return { [Symbol.dispose]: () => void unsubscribe(`leasehold:${name}`, receive) };
}
