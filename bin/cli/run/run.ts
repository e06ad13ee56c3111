import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LockLostError } from '../../../lib/errors/index.js';
import type { LeaseEvents } from '../../../lib/events/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import { formatDuration } from '../../terminal/figures.js';
import { exitCodeOfSignal } from '../../terminal/interruption.js';
import { jsonText, note } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { connect } from '../connection.js';
import { exitCodes } from '../exit-codes.js';
import { CommandFailure, reportError } from '../report-error.js';
import { CommandGroup } from './command-group.js';
import { parseGrace, type RunOptions, toHoldOptions } from './run-options.js';
import { SignalRelay } from './signal-relay.js';

/**
 * Runs a command under a lock.
 *
 * @returns the exit code: the command's own, 128 and a signal's number, or one of {@link exitCodes}
 * @throws UsageError, StoreError for a table that is missing: mistakes in the call
 */
export async function run(name: string, command: readonly string[], options: RunOptions): Promise<number> {
  const hold = toHoldOptions(options);
  using signals = new SignalRelay();
  await using connection = connect(options, hold.leaseMs);
  const { locks } = connection;

  let lease: Lease;
  try {
    using _teller = tellWhoHolds(name, options);
    lease = await locks.acquire(name, { ...hold, waitMs: options.wait, signal: signals.interruption });
  } catch (error) {
    if (signals.interruptedBy) return interrupted(name, signals.interruptedBy, options);
    // 2: the call can't be right. Everything else that keeps the command from running is one thing to a script.
    return reportError(error, options) === 2 ? 2 : exitCodes.notAcquired;
  }
  try {
    // It came while the answer was under way.
    if (signals.interruptedBy) return interrupted(name, signals.interruptedBy, options);
    return await runUnder(lease, command, signals, options);
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

async function runUnder(
  lease: Lease,
  command: readonly string[],
  signals: SignalRelay,
  options: RunOptions,
): Promise<number> {
  const { name, token } = lease;
  let group: CommandGroup;
  try {
    group = await CommandGroup.start(command, { LEASEHOLD_NAME: name, LEASEHOLD_TOKEN: String(token) });
  } catch (error) {
    return notStarted(command[0]!, error, options);
  }
  let ending: Promise<void> | undefined;
  const onLoss = () => {
    ending = group.end(parseGrace(options));
    if (!options.json)
      note(printable(`leasehold: ${findLoss(lease)!.message}; what runs under it is told to end`));
  };
  lease.signal.addEventListener('abort', onLoss, { once: true });
  // A group that was stopped past its lease must not go on as if nothing had happened: asking finds the loss.
  signals.passOnTo(group, () => lease.isHeld);
  if (lease.signal.aborted) onLoss();

  const { exitCode, signal } = await group.ended;
  // Not before all of it has ended: what is given back can be had by somebody else at once.
  await ending;
  await release(lease, options);
  await ending;
  const lost = findLoss(lease);
  const ours = lost ? exitCodes.lost : exitCode;
  if (options.json) {
    const report = {
      name,
      token,
      exitCode: ours,
      commandExitCode: exitCode,
      signal,
      lost: lost?.reason ?? null,
    };
    note(jsonText(report));
  }
  return ours;
}

/** Set as soon as the loss is found, be it by the release. */
function findLoss(lease: Lease): LockLostError | undefined {
  return lease.signal.aborted ? (lease.signal.reason as LockLostError) : undefined;
}

async function release(lease: Lease, options: RunOptions): Promise<void> {
  try {
    await lease.release();
  } catch (error) {
    const leftMs = Math.ceil(lease.remainingMs);
    const message = `"${lease.name}" could not be released and comes free by itself in ${formatDuration(leftMs)}`;
    reportError(new CommandFailure('NOT_RELEASED', `${message}: ${(error as Error).message}`), options);
  }
}

function interrupted(name: string, signal: NodeJS.Signals, options: RunOptions): number {
  const message = `stopped by ${signal}; "${name}" is not held, and the command was not run`;
  reportError(new CommandFailure('INTERRUPTED', message, { lockName: name, signal }), options);
  return exitCodeOfSignal(signal);
}

/** As shells say it: what is not there is another thing than what can't be executed. */
function notStarted(program: string, error: unknown, options: RunOptions): number {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const message = missing
    ? `there is no command "${program}"; the lock is given back`
    : `"${program}" can't be executed: ${(error as Error).message}; the lock is given back`;
  reportError(new CommandFailure(missing ? 'NOT_FOUND' : 'NOT_EXECUTABLE', message), options);
  return missing ? exitCodes.notFound : exitCodes.notExecutable;
}

const channel = 'leasehold:held';

/** Says on stderr whom a wait is for, once; nothing where programs read it. Until it is disposed of. */
function tellWhoHolds(name: string, options: RunOptions): Disposable {
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
