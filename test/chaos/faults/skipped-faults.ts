import type { CrewMember } from '../crew/crew-member.js';
import type { Engine } from '../engine/engine.js';
import type { FaultKind } from './fault.js';

/** Kinds of faults that can't be done on this machine, and why. */
export function skippedFaults(
  engine: Pick<Engine, 'noRestart'>,
  crew: readonly Pick<CrewMember, 'wallClock'>[],
): Partial<Record<FaultKind, string>> {
  const noClock = crew.every(({ wallClock }) => wallClock === undefined);
  return {
    ...(noClock && {
      'wall-step': 'libfaketime is not installed',
      'wall-rate': 'libfaketime is not installed',
    }),
    ...(engine.noRestart !== undefined && { 'restart-engine': engine.noRestart }),
  };
}
