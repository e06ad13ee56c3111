import type { RunProgress } from './progress/run-progress.js';
import type { LocalLambda } from './state-machine/local-lambda.js';

/**
 * Invokes functions, and tells the progress which seats are at work.
 *
 * @param afterPlan what must be done when the plan is made and before the first worker starts
 */
export function seatedInvoke(
  invoke: LocalLambda['invoke'],
  progress: RunProgress,
  afterPlan: () => Promise<void>,
): LocalLambda['invoke'] {
  return async (name, event, signal) => {
    const seat = name === 'work' ? (event as { readonly seat: number }).seat : undefined;
    if (seat !== undefined) progress.seatIs(seat, 'starting');
    if (name === 'verify') progress.phase = 'verifying';
    const answer = await invoke(name, event, signal);
    if (seat !== undefined) progress.seatIs(seat, 'done');
    if (name === 'plan') await afterPlan();
    return answer;
  };
}
