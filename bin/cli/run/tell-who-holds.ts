import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LeaseEvents } from '../../../lib/events/index.js';
import { formatDuration } from '../duration.js';
import { note } from '../output.js';
import { printable } from '../printable.js';
import type { RunOptions } from './run-options.js';

const channel = 'leasehold:held';

/** Says on stderr whom a wait is for, once; nothing where programs read it. Until it is disposed of. */
export function tellWhoHolds(name: string, options: RunOptions): Disposable {
  const onHeld = (message: unknown): void => {
    const { name: lock, holder } = message as LeaseEvents['held'];
    if (lock !== name || !holder || options.json || options.wait === undefined) return;
    const left = `${formatDuration(holder.remainingMs)} left`;
    note(
      printable(`leasehold: waiting for "${name}", held by ${holder.owner} (token ${holder.token}, ${left})`),
    );
  };
  subscribe(channel, onHeld);
  return { [Symbol.dispose]: () => void unsubscribe(channel, onHeld) };
}
