import type { Grant, HoldSettings, Lease, LeaseContext } from '../lease/index.js';
import type { AcquireOptions, TryAcquireOptions } from './acquire-options.js';
import type { ClientOptions } from './client-options.js';

/** What the calls that are loaded when they are needed have of their client. */
export interface ClientHost {
  readonly context: LeaseContext;
  /** The label of leases that are given no other. */
  readonly owner: string;
  /** What the client was made with. */
  readonly options: ClientOptions;
  /** As `LockClient.acquire`. */
  acquire(name: string, options?: AcquireOptions): Promise<Lease>;
  /** As `LockClient.tryAcquire`. */
  tryAcquire(name: string, options?: TryAcquireOptions): Promise<Lease | null>;
  /**
   * Checks the options of an acquire, each by itself; whether they fit together is for `holdSettings` to say.
   *
   * @returns how long to wait, in milliseconds
   * @throws UsageError
   */
  checkAcquire(options: AcquireOptions): number;
  /** Done when the client is closed, in this order: connections are ended last. */
  readonly closers: (() => unknown)[];
  /**
   * Refused once the client is closed, ended when it is closed meanwhile.
   *
   * @throws UsageError with the code `CLOSED`; the caller's signal's own reason; what `call` throws
   */
  whileOpen<T>(given: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Makes a lease of a grant that had to wait for nobody of this process.
   *
   * @throws UsageError if the client has been closed meanwhile: the lease is given back
   */
  toLease(identity: LeaseLabels, grant: Grant, terms: HoldSettings): Lease;
}

/** What a lease is called. */
export interface LeaseLabels {
  readonly name: string;
  readonly owner: string;
}
