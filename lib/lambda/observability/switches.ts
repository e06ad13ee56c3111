import { UsageError } from '../../errors/index.js';
import type { Environment } from '../invocation.js';

/** What a function tells of itself, one switch each. */
export interface Switches {
  /** `LEASEHOLD_LOGS`: structured logs. @default on */
  readonly logs: boolean;
  /** `LEASEHOLD_METRICS`: metrics, written to the log in CloudWatch's embedded format. @default on */
  readonly metrics: boolean;
  /** `LEASEHOLD_TRACING`: a subsegment of X-Ray for each invocation. @default off */
  readonly tracing: boolean;
}

/** The environment variables of the switches. */
export const switchVariables = {
  logs: 'LEASEHOLD_LOGS',
  metrics: 'LEASEHOLD_METRICS',
  tracing: 'LEASEHOLD_TRACING',
} as const satisfies Readonly<Record<keyof Switches, string>>;

/** @throws UsageError that names the variable and its value, unless each is absent, `on` or `off` */
export function readSwitches(env: Environment): Switches {
  return {
    logs: isOn(env, switchVariables.logs, true),
    metrics: isOn(env, switchVariables.metrics, true),
    tracing: isOn(env, switchVariables.tracing, false),
  };
}

function isOn(env: Environment, variable: string, standard: boolean): boolean {
  const value = env[variable]?.trim() || (standard ? 'on' : 'off');
  if (value === 'on' || value === 'off') return value === 'on';
  throw new UsageError(`${variable}: must be "on" or "off", got "${value}"`);
}
