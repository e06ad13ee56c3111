import { Duration } from 'aws-cdk-lib';
import { JitterType, type RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import { transientErrors } from '../functions/transient-errors.js';

/** What a retry of the same request can mend. A lock that is held is waited for apart; one that is lost stays so. */
const mendable = transientErrors.filter((name) => name !== 'LockHeldError' && name !== 'LockLostError');

/** For the requests of a section: some half a minute, on average. */
export const transientRetry: RetryProps = {
  errors: mendable,
  interval: Duration.seconds(1),
  backoffRate: 2,
  maxAttempts: 6,
  maxDelay: Duration.seconds(30),
  jitterStrategy: JitterType.FULL,
};

/** A pause between tries grows up to a sixtieth of the wait, within these. */
const minCeilingSeconds = 5;
const maxCeilingSeconds = 300;

/**
 * Tries for a lock that is held, by chance spread out: first soon after each other, then at a pace that suits the wait.
 * As many as take that long on average, full jitter halving each pause.
 *
 * @param waitFor zero for no retry
 */
export function heldRetry(waitFor: Duration): RetryProps | undefined {
  const seconds = waitFor.toSeconds({ integral: false });
  if (seconds === 0) return undefined;
  const ceiling = Math.round(Math.min(Math.max(seconds / 60, minCeilingSeconds), maxCeilingSeconds));
  let maxAttempts = 0;
  for (let waited = 0, pause = 1; waited < seconds; pause = Math.min(pause * 2, ceiling)) {
    waited += pause / 2;
    maxAttempts += 1;
  }
  return {
    errors: ['LockHeldError'],
    interval: Duration.seconds(1),
    backoffRate: 2,
    maxAttempts,
    maxDelay: Duration.seconds(ceiling),
    jitterStrategy: JitterType.FULL,
  };
}
