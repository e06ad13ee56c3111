import type { Engine } from '../engine/engine.js';
import type { SupervisedWorker } from '../workers/supervised-worker.js';
import type { FaultKind } from './fault.js';

/** Kinds of faults that can't be done on this machine, and why. */
export function skippedFaults(
  engine: Pick<Engine, 'noRestart'>,
  workers: readonly Pick<SupervisedWorker, 'wallClock'>[],
): Partial<Record<FaultKind, string>> {
  const noClock = workers.every(({ wallClock }) => wallClock === undefined);
  return {
    ...(noClock && {
      'wall-step': 'libfaketime is not installed',
      'wall-rate': 'libfaketime is not installed',
    }),
    ...(engine.noRestart !== undefined && { 'restart-engine': engine.noRestart }),
  };
}
