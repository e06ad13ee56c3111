import { randomUUID } from 'node:crypto';
import type { Runtime } from './runtime.js';

/** Node refuses longer timers (it would fire them at once). */
const longestTimerMs = 2 ** 31 - 1;

/** The real clocks, timers and randomness of this process. */
export const systemRuntime: Runtime = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer(wake, delayMs) {
    const timer = setTimeout(wake, Math.min(Math.max(0, delayMs), longestTimerMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
  setAwaitedTimer(wake, delayMs) {
    const timer = setTimeout(wake, Math.min(Math.max(0, delayMs), longestTimerMs));
    return () => clearTimeout(timer);
  },
  randomId: () => randomUUID(),
  random: () => Math.random(),
};
