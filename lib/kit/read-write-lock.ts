import type { AcquireOptions } from '../client/acquire-options.js';
import { runUnder } from '../client/with-lock.js';
import { LockHeldError } from '../errors/index.js';
import type { Lease } from '../lease/index.js';
import { sleep } from '../runtime/index.js';
import { checkNoMinHold, LockGroup } from './lock-group.js';
import type { LockHost } from './lock-host.js';
import { permitNames } from './permits.js';
import { acquirePermit } from './semaphore.js';

/** How a read or a write lock is acquired. Without `minHoldMs`: a reader gives way to a writer that comes. */
export type ReadWriteOptions = Omit<AcquireOptions, 'change' | 'giveUpWhen' | 'supersede' | 'minHoldMs'>;

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
  const permits = permitNames(readersName, readers, 'readers');

  const acquireRead = async ({ waitMs = 0, ...options }: ReadWriteOptions = {}): Promise<Lease> => {
    checkNoMinHold('acquireRead', options);
    const pacing = host.pacing(waitMs);
    for (;;) {
      let writer = await writerAt(host, gate, options.signal);
      if (!writer) {
        const lease = await acquirePermit(host, readersName, permits, { ...options, waitMs: pacing.leftMs });
        // A writer that came in between waits for this very permit, and comes first.
        writer = await writerAt(host, gate, options.signal).catch(async (error) => {
          await lease[Symbol.asyncDispose]();
          throw error;
        });
        if (!writer) return lease;
        await lease[Symbol.asyncDispose]();
      }
      if (pacing.leftMs <= 0) throw new LockHeldError(name, writer, pacing.waitedMs);
      await sleep(host.runtime, pacing.nextDelayMs(), options.signal);
    }
  };

  const acquireWrite = async ({ waitMs = 0, ...options }: ReadWriteOptions = {}): Promise<WriteLock> => {
    checkNoMinHold('acquireWrite', options);
    const pacing = host.pacing(waitMs);
    const lease = await host.acquire(gate, { ...options, waitMs: pacing.leftMs });
    // Nobody but the holder of the gate takes more than one permit, so they can be waited for all at once.
    const settled = await Promise.allSettled(
      permits.map((permit) => host.acquire(permit, { ...options, waitMs: pacing.leftMs })),
    );
    const taken = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const lock = new WriteLock(lease, taken);
    const failed = settled.find((result) => result.status === 'rejected');
    try {
      if (failed) throw failed.reason;
      lock.throwIfLost();
      return lock;
    } catch (error) {
      await lock[Symbol.asyncDispose]();
      throw error;
    }
  };

  return {
    name,
    readers,
    acquireRead,
    acquireWrite,
    async read(work, options = {}) {
      return runUnder(await acquireRead(options), work);
    },
    async write(work, options = {}) {
      return runUnder(await acquireWrite(options), work);
    },
  };
}

/** The writer that has the gate, if somebody has it. */
async function writerAt(host: LockHost, gate: string, signal: AbortSignal | undefined) {
  const [info] = await host.inspectMany([gate], signal);
  if (info?.state !== 'held') return undefined;
  const { owner = 'unknown', token, leaseId, acquiredAt = 0, remainingMs } = info;
  return { owner, token, leaseId, acquiredAt, remainingMs };
}
