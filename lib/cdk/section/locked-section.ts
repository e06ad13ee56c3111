import { Duration } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  Chain,
  Choice,
  Condition,
  Fail,
  type IChainable,
  type INextable,
  JitterType,
  JsonPath,
  Parallel,
  Pass,
  type RetryProps,
  type State,
  StateMachineFragment,
  TaskInput,
  Timeout,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke, type LambdaInvokeProps } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { taskTimeout } from '../functions/durations.js';
import { wholeMilliseconds } from '../functions/known.js';
import { transientErrors } from '../functions/transient-errors.js';
import { checkSection, type LockedSectionProps, sectionProblems } from './locked-section-props.js';

/** What a retry of the same request can mend. A lock that is held is waited for apart; one that is lost stays so. */
const mendable = transientErrors.filter((name) => name !== 'LockHeldError' && name !== 'LockLostError');

/** For the requests of a section: some half a minute, on average. */
const transientRetry: RetryProps = {
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
function heldRetry(waitFor: Duration): RetryProps | undefined {
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

/**
 * States that run under a lock: acquire, the given states, release, also when they fail; then the execution fails with
 * the original error and cause. It is a fragment: put it into a chain with others, more than one, inside each other,
 * inside maps and branches.
 *
 * The holder is the execution. Nothing renews the lease, and nothing needs to: it lasts for `timeout`, and ends with
 * the execution, whose end is told to the service (`LockService.watchExecutions`), or asked for by the next taker. The
 * states find the lock in their input; those that write should hand its `token` to what they write to, since a lease
 * alone is no mutual exclusion.
 *
 * A release that fails is tried again some times, then the execution goes on: its end frees the lock.
 *
 * Limits. The state machine must use JSONPath (states inside may use JSONata), and the input of a section must be an
 * object. Nothing bounds how long the states take: give your tasks and the state machine time-outs. A redrive goes on
 * where the execution failed: after the section's own end as failed, or, if it was stopped from outside, amid the
 * states, without the lock, which the section then finds out at its end (`whenLost`); start a new execution instead. An
 * Express execution can't be asked for, and its end is not told: `timeout` must be at most 5 minutes there.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html
 */
export class LockedSection extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];
  readonly #props: LockedSectionProps;

  /** @throws Error for an option that can't be */
  constructor(scope: Construct, id: string, props: LockedSectionProps) {
    super(scope, id);
    checkSection(id, props);
    this.#props = props;
    const { whenHeld = 'fail' } = props;
    // All states of the section see `{ lock, input }`, so that the input can be anything, and what it holds stays.
    const enter = new Pass(this, 'Enter', {
      parameters: { lock: { name: props.name, leaseId: JsonPath.uuid() }, input: JsonPath.objectAt('$') },
    });
    const acquire = this.#acquire();
    const locked = this.#locked();
    const leave = new Pass(this, 'Leave', { outputPath: '$.input[0]' });
    enter.next(acquire).next(locked).next(this.#releaseInTheEnd(leave));

    const fail = this.#fail();
    const held = whenHeld === 'fail' ? undefined : this.#held(whenHeld);
    if (held) acquire.addCatch(held.startState, { errors: ['LockHeldError'], resultPath: '$.lock' });
    acquire.addCatch(this.#releaseBefore(fail, 'Give back'), {
      errors: ['States.ALL'],
      resultPath: '$.input',
    });
    const minHold = milliseconds('minHold', props.minHold);
    locked.addCatch(this.#releaseBefore(fail, 'Release after error', { ...grantedToken, ...minHold }), {
      errors: ['States.ALL'],
      resultPath: '$.input',
    });

    this.startState = enter;
    this.endStates = [leave, ...(held?.endStates ?? [])];
    super.prefixStates();
    this.node.addValidation({ validate: () => sectionProblems(this, acquire, props) });
  }

  /** The names of the states begin with the construct's id from the start; only another prefix comes before it. */
  override prefixStates(prefix?: string): StateMachineFragment {
    return prefix === undefined || prefix === `${this.id}: ` ? this : super.prefixStates(prefix);
  }

  /**
   * The lease id is made before, in `Enter`: the same over the attempts of one acquire, so that an attempt whose answer
   * was lost is found again, and a new one whenever the section is entered.
   */
  #acquire(): LambdaInvoke {
    const { timeout = Duration.days(1), whenHeld = 'fail' } = this.#props;
    const { waitFor = whenHeld === 'fail' ? Duration.minutes(15) : Duration.seconds(0) } = this.#props;
    const acquire = this.#ask('Acquire', {
      payload: TaskInput.fromObject({
        operation: 'acquire',
        name: JsonPath.stringAt('$.lock.name'),
        leaseId: JsonPath.stringAt('$.lock.leaseId'),
        leaseMs: wholeMilliseconds('timeout', timeout),
        execution: JsonPath.stringAt('$$.Execution.Id'),
        ...milliseconds('lockDelay', this.#props.lockDelay),
        throw: true,
      }),
      resultSelector: { granted: JsonPath.objectAt('$.Payload.granted') },
      resultPath: '$.lock.answer',
    });
    const retry = heldRetry(waitFor);
    if (retry) acquire.addRetry(retry);
    acquire.addRetry(transientRetry);
    return acquire;
  }

  /** The states, in a branch of their own: whatever error leaves them is caught here. */
  #locked(): Parallel {
    const { states, lockPath = '$.lock' } = this.#props;
    const begin = new Pass(this, 'Begin', {
      inputPath: '$.lock.answer.granted',
      resultPath: within(lockPath),
      outputPath: '$.input',
    });
    return new Parallel(this, 'Locked', { resultPath: '$.input' }).branch(Chain.start(begin).next(states));
  }

  /** The release after states that ended well. Its answer tells whether the lock was theirs until now. */
  #releaseInTheEnd(leave: Pass): LambdaInvoke {
    const checks = this.#props.whenLost !== 'continue';
    const release = this.#ask('Release', {
      payload: releasePayload({ ...grantedToken, ...milliseconds('minHold', this.#props.minHold) }),
      ...(checks
        ? {
            resultSelector: { released: JsonPath.objectAt('$.Payload.released') },
            resultPath: '$.lock.answer',
          }
        : { resultPath: JsonPath.DISCARD }),
    });
    release.addRetry(transientRetry);
    release.addCatch(leave, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD });
    if (!checks) {
      release.next(leave);
      return release;
    }
    const lost = new Fail(this, 'Lost', {
      error: 'LockLostError',
      cause: `The lock of "${this.node.id}" was taken over, or broken, before its states had ended`,
    });
    const kept = new Choice(this, 'Was it kept?')
      .when(Condition.booleanEquals('$.lock.answer.released', false), lost)
      .otherwise(leave);
    release.next(kept);
    return release;
  }

  /** The release after an error, which is what counts: the execution's end frees what could not be released. */
  #releaseBefore(fail: IChainable, id: string, fields = {}): LambdaInvoke {
    const release = this.#ask(id, { payload: releasePayload(fields), resultPath: JsonPath.DISCARD });
    release.addRetry(transientRetry);
    release.addCatch(fail, { errors: ['States.ALL'], resultPath: JsonPath.DISCARD });
    release.next(fail);
    return release;
  }

  /** Fails with the error that was caught. One that a `Fail` state made may have no cause. */
  #fail(): Choice {
    const failed = new Fail(this, 'Failed', { errorPath: '$.input.Error', causePath: '$.input.Cause' });
    const silent = new Fail(this, 'Failed without a cause', { errorPath: '$.input.Error' });
    return new Choice(this, 'Has a cause?')
      .when(Condition.and(Condition.isPresent('$.input.Cause'), Condition.isString('$.input.Cause')), failed)
      .otherwise(silent);
  }

  #held(whenHeld: 'skip' | IChainable): { readonly startState: State; readonly endStates: INextable[] } {
    if (whenHeld === 'skip') {
      const skip = new Pass(this, 'Skip', { outputPath: '$.input' });
      return { startState: skip, endStates: [skip] };
    }
    const held = new Pass(this, 'Held', {
      inputPath: '$.lock',
      resultPath: within(this.#props.lockPath ?? '$.lock'),
      outputPath: '$.input',
    });
    held.next(whenHeld);
    return { startState: held, endStates: whenHeld.endStates };
  }

  #ask(id: string, props: Omit<LambdaInvokeProps, 'lambdaFunction'>): LambdaInvoke {
    const lambda = this.#props.service.function;
    const timeout = (lambda instanceof LambdaFunction && lambda.timeout) || Duration.seconds(30);
    return new LambdaInvoke(this, id, {
      ...props,
      lambdaFunction: lambda,
      retryOnServiceExceptions: false,
      taskTimeout: Timeout.duration(taskTimeout(timeout)),
    });
  }
}

/** A field of a request, where the duration is given. */
function milliseconds(prop: 'minHold' | 'lockDelay', duration: Duration | undefined) {
  return duration === undefined ? {} : { [`${prop}Ms`]: wholeMilliseconds(prop, duration) };
}

/** What a holder must name besides its lease id; an acquire that was never answered has none to name. */
const grantedToken = { token: JsonPath.numberAt('$.lock.answer.granted.token') };

/** A repeat tells that it is one: what finds others may have been released by an attempt whose answer was lost. */
function releasePayload(fields: Readonly<Record<string, unknown>>): TaskInput {
  return TaskInput.fromObject({
    operation: 'release',
    name: JsonPath.stringAt('$.lock.name'),
    leaseId: JsonPath.stringAt('$.lock.leaseId'),
    ...fields,
    retries: JsonPath.numberAt('$$.State.RetryCount'),
    throw: true,
  });
}

/** A path over the section's input, as the section's own states see it. */
function within(lockPath: string): string {
  return `$.input${lockPath.slice(1)}`;
}
