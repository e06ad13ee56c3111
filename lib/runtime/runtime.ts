import { randomUUID } from 'node:crypto';

/**
 * Everything that is not deterministic, in one place: two local clocks, timers and randomness.
 * Production uses {@link systemRuntime}; a simulation hands in its own, and the same code runs under a seed.
 */
export interface Runtime {
  /** Milliseconds of a clock that never steps. It may stand still while the machine or the Lambda is frozen. */
  readonly monotonicMs: () => number;
  /** Milliseconds of the wall clock. Its setting plays no part in any decision; only its progress does. */
  readonly wallMs: () => number;
  /** Calls `wake` once after `delayMs`; returns a function that cancels it. The timer never keeps the process alive. */
  readonly setTimer: (wake: () => void, delayMs: number) => () => void;
  /** As `setTimer`, for a wait that somebody awaits: this one keeps the process alive until it fires. */
  readonly setAwaitedTimer: (wake: () => void, delayMs: number) => () => void;
  /** An id that nobody else will ever produce, at most 64 ASCII characters. */
  readonly randomId: () => string;
  /** A number in [0, 1), for jitter only. */
  readonly random: () => number;
}

/** Node refuses longer timers (it would fire them at once). */
const longestTimerMs = 2 ** 31 - 1;

const startTimer = (wake: () => void, delayMs: number) =>
  setTimeout(wake, Math.min(Math.max(0, delayMs), longestTimerMs));

const cancelling = (timer: NodeJS.Timeout) => () => clearTimeout(timer);

/** The real clocks, timers and randomness of this process. */
export const systemRuntime: Runtime = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer: (wake, delayMs) => cancelling(startTimer(wake, delayMs).unref()),
  setAwaitedTimer: (wake, delayMs) => cancelling(startTimer(wake, delayMs)),
  randomId: () => randomUUID(),
  random: () => Math.random(),
};
