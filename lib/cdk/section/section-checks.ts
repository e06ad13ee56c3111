import { Duration, Stack, Token } from 'aws-cdk-lib';
import { CfnStateMachine, JsonPath, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { IConstruct } from 'constructs';
import { checkLockName } from '../../client/lock-name.js';
import { checkDuration } from '../functions/check-duration.js';
import { checkKnown } from '../functions/known.js';
import { LockService } from '../service/lock-service.js';
import type { LockedSectionProps } from './locked-section-props.js';

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
  checkLockName(name);
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
