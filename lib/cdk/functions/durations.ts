import { Duration } from 'aws-cdk-lib';

/** A little later than any function's own end. */
const latest = Duration.minutes(15);
const later = Duration.seconds(10);

/**
 * The end of a task that invokes a function: a little later than the function's own, so that its error is seen. Of a
 * time that only deployment knows it is the latest that a function may have, since a template can't add.
 */
export function taskTimeout(functionTimeout: Duration): Duration {
  return (functionTimeout.isUnresolved() ? latest : functionTimeout).plus(later);
}

/** @throws Error that names the property, what it may be, and what came; what is known only at deployment passes */
export function checkDuration(
  name: string,
  value: Duration | undefined,
  least: Duration,
  most: Duration,
): void {
  if (value === undefined || value.isUnresolved()) return;
  const ms = value.toMilliseconds();
  if (ms >= least.toMilliseconds() && ms <= most.toMilliseconds()) return;
  throw new Error(
    `${name}: must be from ${least.toHumanString()} to ${most.toHumanString()}, got ${ms === 0 ? '0' : value.toHumanString()}`,
  );
}
