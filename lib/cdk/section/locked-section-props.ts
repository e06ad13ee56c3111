import type { Duration } from 'aws-cdk-lib';
import type { IChainable } from 'aws-cdk-lib/aws-stepfunctions';
import type { ILockService } from '../service/lock-service.js';

/** What a `LockedSection` can be told. */
export interface LockedSectionProps {
  /** The service that keeps the lock. */
  readonly service: ILockService;
  /** The lock's name: a text, or a path or intrinsic function over the section's input (`JsonPath.stringAt('$.batch')`). */
  readonly name: string;
  /** What runs under the lock. It gets the section's input with the lock in it; its output is the section's. */
  readonly states: IChainable;
  /** Where in their input the states find the lock: `name`, `token`, `leaseId`, `checkpoint`, … @default $.lock */
  readonly lockPath?: string;
  /**
   * What becomes of an execution that does not get the lock: it fails with `LockHeldError`; it skips the states, its
   * output being its input; or it goes on with states of yours, which get the input, and `Error` and `Cause` in the
   * place of the lock.
   * @default 'fail'
   */
  readonly whenHeld?: 'fail' | 'skip' | IChainable;
  /**
   * How long to wait for the lock, about; zero is one try. Waiters try in turns of chance, not in the order of arrival.
   * @default 15 minutes where `whenHeld` is 'fail', else zero
   */
  readonly waitFor?: Duration;
  /**
   * How long the lock can be held. Then it may be taken over, even if the execution goes on: choose what no execution
   * needs. An execution that ends gives up the lock at once, so that long is not slow.
   * @default 1 day
   */
  readonly timeout?: Duration;
  /**
   * Nobody gets the lock until so long after the section got it, however soon its states end; at most the longest lease of
   * the service counts. An execution that is stopped gives up the lock at once.
   * @default none
   */
  readonly minHold?: Duration;
  /**
   * A lease that ran out, instead of being given back, is taken only so much later: for what knows no fencing tokens.
   * @default none
   */
  readonly lockDelay?: Duration;
  /**
   * What becomes of an execution whose states ended well after somebody else had taken the lock over, since it was held
   * for longer than `timeout`, or after an operator had broken it: it fails with `LockLostError`, or it goes on as if
   * nothing was.
   * @default 'fail'
   */
  readonly whenLost?: 'fail' | 'continue';
}
