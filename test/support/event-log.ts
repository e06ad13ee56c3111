import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LeaseEvents } from '../../lib/events/events.js';

type EventName = keyof LeaseEvents;

const names: readonly EventName[] = [
  'granted',
  'held',
  'renewed',
  'renewal-failed',
  'lost',
  'released',
  'completed',
  'handed-over',
  'release-failed',
  'stale-write-refused',
  'release-requested',
  'release-asked',
  'permit-granted',
  'line-joined',
  'elected',
  'lead-ended',
];

/** What the library told on its diagnostics channels, and a way to wait for it. */
export class EventLog implements Disposable {
  readonly #told: { readonly event: EventName; readonly data: { readonly name: string } }[] = [];
  readonly #listeners = names.map((event) => ({
    channel: `leasehold:${event}`,
    listener: (data: unknown) => this.#note(event, data as { name: string }),
  }));
  #waiting: (() => void)[] = [];

  constructor() {
    for (const { channel, listener } of this.#listeners) subscribe(channel, listener);
  }

  /** The events of one kind, oldest first. */
  of<Name extends EventName>(event: Name, lock?: string): LeaseEvents[Name][] {
    return this.#told
      .filter((entry) => entry.event === event && (lock === undefined || entry.data.name === lock))
      .map(({ data }) => data as LeaseEvents[Name]);
  }

  /** Resolves with the n-th event of a kind, at once if it has been told. */
  async next<Name extends EventName>(event: Name, lock?: string, nth = 1): Promise<LeaseEvents[Name]> {
    for (;;) {
      const found = this.of(event, lock)[nth - 1];
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  [Symbol.dispose](): void {
    for (const { channel, listener } of this.#listeners) unsubscribe(channel, listener);
  }

  #note(event: EventName, data: { readonly name: string }): void {
    this.#told.push({ event, data });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
