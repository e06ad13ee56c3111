import { Duration, Stack, Token } from 'aws-cdk-lib';
import { CfnStateMachine, type IChainable, JsonPath, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { IConstruct } from 'constructs';
import { checkPlainName } from '../../client/lock-name.js';
import { checkDuration } from '../functions/durations.js';
import { checkKnown } from '../functions/known.js';
import { type ILockService, LockService } from '../service/lock-service.js';

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

/** Step Functions' limit on a state's name, less the longest name of a state here, with its separator. */
const maxIdLength = 80 - ': Failed without a cause'.length;
/** More tries than a week's would fill the history of an execution. */
const maxWait = Duration.days(7);
const minTimeout = Duration.seconds(1);
/** An execution lasts for a year at most. */
const maxTimeout = Duration.days(366);
/** An Express execution lasts for five minutes at most, and is watched by nobody. */
const maxExpress = Duration.minutes(5);
/** A lease as short as a function's may be waited out. */
const shortLease = Duration.minutes(15);

/** @throws Error that says what came and what is allowed */
export function checkSection(id: string, props: LockedSectionProps): void {
  checkKnown(props, ['lockPath', 'whenHeld', 'waitFor', 'whenLost']);
  const { service, name, lockPath, waitFor, timeout } = props;
  checkSameRegion(service);
  if (id.length > maxIdLength) {
    throw new Error(
      `id: must have at most ${maxIdLength} characters, since it begins the names of states, got "${id}"`,
    );
  }
  checkDuration('waitFor', waitFor, Duration.seconds(0), maxWait);
  checkDuration('timeout', timeout, minTimeout, maxTimeout);
  checkDuration('minHold', props.minHold, Duration.seconds(0), maxTimeout);
  checkDuration('lockDelay', props.lockDelay, Duration.seconds(0), maxTimeout);
  if (lockPath !== undefined && !/^\$(\.[A-Za-z_]\w*)+$/.test(lockPath)) {
    throw new Error(`lockPath: must be a path such as "$.lock" or "$.locks.batch", got "${lockPath}"`);
  }
  if (Token.isUnresolved(name) || JsonPath.isEncodedJsonPath(name)) return;
  if (name.startsWith('$') || name.startsWith('States.')) {
    throw new Error(`name: is the text "${name}"; for a path write JsonPath.stringAt('${name}')`);
  }
  checkPlainName(name);
  if (service instanceof LockService && !service.allows(name)) {
    throw new Error(
      `name: the lock service allows ${service.names?.map((one) => `"${one}"`).join(', ')}, got "${name}"`,
    );
  }
}

/** What is wrong with a section once everything around it is there. */
export function sectionProblems(section: IConstruct, acquire: State, props: LockedSectionProps): string[] {
  const { service, timeout = Duration.days(1) } = props;
  const problems: string[] = [];
  if (timeout.isUnresolved()) return problems;
  const ms = timeout.toMilliseconds();
  if (ms > maxExpress.toMilliseconds() && isInExpress(section, acquire)) {
    problems.push(
      `timeout: must be at most ${maxExpress.toHumanString()} in an Express state machine, whose executions can’t be watched, got ${timeout.toHumanString()}`,
    );
  }
  if (ms > shortLease.toMilliseconds() && service instanceof LockService && !service.isWatchingExecutions) {
    problems.push(
      `${service.node.path} watches no executions, so an aborted one would hold the lock for ${timeout.toHumanString()}; call watchExecutions(stateMachine) on it, or make timeout at most ${shortLease.toHumanString()}`,
    );
  }
  return problems;
}

/** Looks for the section in the Express state machines of its stack. */
function isInExpress(section: IConstruct, acquire: State): boolean {
  const stack = Stack.of(section);
  const name = JSON.stringify(acquire.stateId);
  return stack.node
    .findAll()
    .filter((one) => one instanceof CfnStateMachine)
    .filter(({ stateMachineType }) => stateMachineType === 'EXPRESS')
    .some(({ definitionString }) =>
      JSON.stringify(stack.resolve(definitionString)).includes(JSON.stringify(name).slice(1, -1)),
    );
}

/** Step Functions invokes functions of its own Region only. */
function checkSameRegion(service: LockedSectionProps['service']): void {
  const { region } = Stack.of(service);
  const its = service.function.env.region;
  if (region === its || Token.isUnresolved(region) || Token.isUnresolved(its)) return;
  throw new Error(
    `service: its function lies in ${its}, and the state machine in ${region}; Step Functions invokes functions of its own Region only`,
  );
}
