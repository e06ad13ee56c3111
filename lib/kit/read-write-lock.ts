import type { AcquireOptions } from '../client/acquire-options.js';
import type { WaitPacing } from '../client/wait-pacing.js';
import { checkWork, runUnder } from '../client/with-lock.js';
import { LockHeldError, type StoreError } from '../errors/index.js';
import { Lease } from '../lease/index.js';
import { childSignal, sleep } from '../runtime/index.js';
import { LockGroup } from './lock-group.js';
import { holderIn, isOver, type LockHost, passingFailure, type Sight } from './lock-host.js';
import { permitNames } from './permits.js';
import { acquirePermit } from './semaphore.js';

/** How a read or a write lock is acquired. Without `minHoldMs`: a reader gives way to a writer that comes. */
export type ReadWriteOptions = Omit<AcquireOptions, 'change' | 'giveUpWhen' | 'supersede' | 'minHoldMs'>;

/** What an acquire takes and this does not: a lease may be given back before any work. */
const notTaken = ['supersede', 'minHoldMs'];

/** The write lock: the writers' gate and all permits of the readers, held together. */
export class WriteLock extends LockGroup {
  /** The fencing token of the writer: larger than that of each writer before. */
  readonly token: number;

  /** Made by a {@link ReadWriteLock}. */
  constructor(gate: Lease, permits: readonly Lease[]) {
    super(new Map([gate, ...permits].map((lease) => [lease.name, lease])));
    this.token = gate.token;
  }
}

/**
 * Many readers or one writer. A reader has one of the readers' permits; a writer has the writers' gate and all permits.
 * Readers look at the gate, so writers come first and can't starve. A write lock costs one lease more than there may be
 * readers: where writes are as frequent as reads a plain lock is cheaper.
 */
export interface ReadWriteLock {
  readonly name: string;
  readonly readers: number;
  /** Runs work beside other readers; errors as those of `withLock`. */
  read<T>(work: (lease: Lease) => Promise<T> | T, options?: ReadWriteOptions): Promise<T>;
  /** Runs work alone; errors as those of `withLock`. */
  write<T>(work: (lock: WriteLock) => Promise<T> | T, options?: ReadWriteOptions): Promise<T>;
  /** @throws LockHeldError while a writer is at work or waits, or when there are `readers` readers; and as `acquire` */
  acquireRead(options?: ReadWriteOptions): Promise<Lease>;
  /** @throws LockHeldError while another writer or a reader is at work; and as `acquire` */
  acquireWrite(options?: ReadWriteOptions): Promise<WriteLock>;
}

/** Made by `LockClient.readWriteLock`. */
export function makeReadWriteLock(host: LockHost, name: string, readers: number): ReadWriteLock {
  const gate = `${name}#w`;
  const readersName = `${name}#r`;
  const permits = permitNames(readersName, readers);

  const acquireRead = async (given: ReadWriteOptions = {}): Promise<Lease> => {
    host.check('acquireRead', given, notTaken);
    const { waitMs, ...options } = given;
    const pacing = host.pacing(waitMs, options.endsInMs);
    let writer: Sight | undefined;
    for (;;) {
      let failure: StoreError | undefined;
      try {
        const found = await readerOrWriter(pacing.leftMs, options);
        if (found instanceof Lease) return found;
        writer = found;
      } catch (error) {
        failure = passingFailure(error, options.signal);
      }
      if (pacing.leftMs <= 0) {
        const holder = writer && holderIn(writer);
        if (!holder && failure) throw failure;
        throw new LockHeldError(name, holder, pacing.waitedMs, { cause: failure });
      }
      await sleep(host.runtime, pacing.nextDelayMs(), options.signal);
    }
  };

  /** A permit with nobody at the gate, before and after; or who is there. */
  const readerOrWriter = async (
    waitMs: number,
    options: ReadWriteOptions,
  ): Promise<Lease | Sight | undefined> => {
    const before = await writerAt(host, gate, options.signal);
    if (before) return before;
    const lease = await acquirePermit(host, readersName, permits, { ...options, waitMs });
    try {
      // A writer that came in between waits for this very permit, and comes first.
      const after = await writerAt(host, gate, options.signal);
      if (!after && lease.isHeld) return lease;
      await lease[Symbol.asyncDispose]();
      return after;
    } catch (error) {
      await lease[Symbol.asyncDispose]();
      throw error;
    }
  };

  const acquireWrite = async (given: ReadWriteOptions = {}): Promise<WriteLock> => {
    host.check('acquireWrite', given, notTaken);
    const { waitMs, ...options } = given;
    const pacing = host.pacing(waitMs, options.endsInMs);
    for (;;) {
      const lock = await gateAndPermits(pacing, options);
      if (lock.isHeld) return lock;
      // The first leases were over before the last one was had.
      const cause = lock.loss;
      await lock[Symbol.asyncDispose]();
      if (pacing.leftMs <= 0 || isOver(options)) {
        throw new LockHeldError(name, undefined, pacing.waitedMs, { cause });
      }
      await sleep(host.runtime, pacing.nextDelayMs(), options.signal);
    }
  };

  /** The gate, and then all permits; or none of them. */
  const gateAndPermits = async (pacing: WaitPacing, options: ReadWriteOptions): Promise<WriteLock> => {
    // As before each permit: its own time may have run out in the pause before this try.
    if (isOver(options)) throw new LockHeldError(name, undefined, pacing.waitedMs);
    const first = await host.acquire(gate, { ...options, waitMs: pacing.leftMs });
    const leases: Lease[] = [];
    // The first permit that can't be had ends the wait for the others.
    const { signal, abort, clear } = childSignal(options.signal);
    const take = async (permit: string) => {
      try {
        if (isOver(options)) throw new LockHeldError(permit, undefined, pacing.waitedMs);
        leases.push(await host.acquire(permit, { ...options, signal, waitMs: pacing.leftMs }));
      } catch (error) {
        abort(error);
      }
    };
    // Nobody but the holder of the gate takes more than one permit, so they can be waited for all at once.
    await Promise.all(permits.map(take)).finally(clear);
    const lock = new WriteLock(first, leases);
    if (!signal.aborted) return lock;
    await lock[Symbol.asyncDispose]();
    throw signal.reason;
  };

  return {
    name,
    readers,
    acquireRead,
    acquireWrite,
    async read(work, options = {}) {
      checkWork('read', work);
      return runUnder(await acquireRead(options), work);
    },
    async write(work, options = {}) {
      checkWork('write', work);
      return runUnder(await acquireWrite(options), work);
    },
  };
}

/** What stands at the gate, if a writer has it. */
async function writerAt(
  host: LockHost,
  gate: string,
  signal: AbortSignal | undefined,
): Promise<Sight | undefined> {
  const [sight] = await host.look([gate], signal);
  return sight?.info?.state === 'held' ? sight : undefined;
}
