import type { Duration } from 'aws-cdk-lib';

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
