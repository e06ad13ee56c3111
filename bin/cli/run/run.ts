import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { StoreClock } from '../../../lib/clock/store-clock.js';
import { type LockLostError, UsageError } from '../../../lib/errors/index.js';
import type { LeaseEvents } from '../../../lib/events/events.js';
import type { Lease } from '../../../lib/lease/index.js';
import { formatDuration } from '../../terminal/figures.js';
import { exitCodeOfSignal } from '../../terminal/interruption.js';
import { jsonText, note } from '../../terminal/output.js';
import { printable } from '../../terminal/styled-line.js';
import { connect } from '../connection.js';
import { exitCodes } from '../exit-codes.js';
import { CommandFailure, reportError } from '../report-error.js';
import { CommandGroup } from './command-group.js';
import { divideLease, killMs, type RunOptions } from './run-options.js';
import { SignalRelay } from './signal-relay.js';

/**
 * Runs a command under a lock.
 *
 * @returns the exit code: the command's own, 128 and a signal's number, or one of {@link exitCodes}
 * @throws UsageError, SetUpFailure: mistakes in the call, and what keeps every call from working
 */
export async function run(name: string, command: readonly string[], options: RunOptions): Promise<number> {
  checkKit(options);
  const times = divideLease(options);
  const { hold } = times;
  using signals = new SignalRelay();
  await using connection = await connect(options, {
    leaseMs: hold.leaseMs,
    requestTimeoutMs: times.requestTimeoutMs,
  });
  const { locks } = connection;

  let lease: Lease;
  try {
    using _teller = tellWhoHolds(name, options);
    const terms = {
      ...hold,
      waitMs: options.wait,
      minHoldMs: options.minHold,
      lockDelayMs: options.lockDelay,
      signal: signals.interruption,
    };
    const { permits } = options;
    lease =
      permits === undefined
        ? await locks.acquire(name, { ...terms, fair: options.fair })
        : await locks.semaphore(name, { permits }).acquire(terms);
  } catch (error) {
    if (signals.interruptedBy) return interrupted(name, signals.interruptedBy, options);
    return reportError(error, options);
  }
  try {
    // It came while the answer was under way.
    if (signals.interruptedBy) return interrupted(name, signals.interruptedBy, options);
    using end = leaseEnd(lease, locks.context.clock);
    return await runUnder({ lease, leftMs: end.leftMs, graceMs: times.graceMs, command, signals, options });
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

/** @throws UsageError for options that do not go together */
function checkKit({ semaphore = false, permits, fair = false }: RunOptions): void {
  if (semaphore !== (permits !== undefined))
    throw new UsageError('--semaphore and --permits: go together, give both or none');
  if (semaphore && fair) throw new UsageError('--fair: a semaphore has no line; leave one of them out');
}

interface HeldRun {
  readonly lease: Lease;
  /** Until the end of the lease, be it lost or not. */
  readonly leftMs: () => number;
  readonly graceMs: number;
  readonly command: readonly string[];
  readonly signals: SignalRelay;
  readonly options: RunOptions;
}

async function runUnder({ lease, leftMs, graceMs, command, signals, options }: HeldRun): Promise<number> {
  const { name, token } = lease;
  // A group that was stopped past its lease must not go on as if nothing had happened: asking finds the loss.
  signals.keepForCommand(() => lease.isHeld);
  let group: CommandGroup;
  try {
    group = await CommandGroup.start(command, { LEASEHOLD_NAME: name, LEASEHOLD_TOKEN: String(token) });
  } catch (error) {
    return notStarted(command[0]!, error, options);
  }
  // Before anything else is started, which may take a moment.
  signals.passOnTo(group);
  using _guard = guardOrphans(group.id, graceMs);
  let ending: Promise<void> | undefined;
  const onLoss = () => {
    // Given back when all of it has ended.
    const loss = findLoss(lease);
    if (!loss) return;
    ending = group.end(graceAfter(loss, graceMs, leftMs()));
    if (!options.json) note(printable(`leasehold: ${loss.message}; what runs under it is told to end`));
  };
  lease.signal.addEventListener('abort', onLoss, { once: true });
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

/**
 * How long the command may take to end in order, in milliseconds: never past the end of the lease. Somebody who has
 * taken over works already; an operator who broke the lease did not ask for a crash.
 */
function graceAfter({ reason }: LockLostError, graceMs: number, leftMs: number): number {
  if (reason === 'broken') return graceMs;
  if (reason === 'taken-over') return 0;
  return Math.max(0, Math.min(graceMs, leftMs - killMs));
}

/** Keeps the end of a lease in mind: a lease that is lost does not say any more how long it would have run. */
function leaseEnd(lease: Lease, clock: Pick<StoreClock, 'now'>): Disposable & { leftMs: () => number } {
  let expiresAt = clock.now().latest + lease.remainingMs;
  // No other lease is renewed in this process.
  const onRenewed = (message: unknown): void => {
    ({ expiresAt } = message as LeaseEvents['renewed']);
  };
  subscribe('leasehold:renewed', onRenewed);
  return {
    leftMs: () => expiresAt - clock.now().latest,
    [Symbol.dispose]: () => void unsubscribe('leasehold:renewed', onRenewed),
  };
}

/** Set as soon as the loss is found, be it by the release. */
function findLoss(lease: Lease): LockLostError | undefined {
  return lease.loss;
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

/**
 * Waits until its standard input ends, which is when the process that started it is gone, and ends the group: SIGTERM,
 * and after the grace SIGKILL. A group that is stopped takes the first signal only when it goes on.
 */
const script = 'read -r _; kill -s TERM -- "-$1"; kill -s CONT -- "-$1"; sleep "$2"; kill -s KILL -- "-$1"';

/**
 * Sees to it that a process group does not outlive this process by more than the grace: whoever is killed outright can
 * end nobody, and its lease runs out all the same. Disposing of it is for when the group has ended.
 *
 * It is a shell in a session of its own: it holds nothing and wakes for nothing else. Where there is none (Windows, an
 * image without a shell) the command goes unguarded.
 */
export function guardOrphans(groupId: number, graceMs: number): Disposable {
  if (process.platform === 'win32') return { [Symbol.dispose]() {} };
  // Whole seconds: not every `sleep` knows parts of them.
  const graceSeconds = Math.floor(graceMs / 1_000);
  const guard = spawn('/bin/sh', ['-c', script, 'leasehold-run', String(groupId), String(graceSeconds)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  });
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') };
}
