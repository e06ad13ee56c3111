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

/** The package that each part needs. */
const packages = {
  logs: '@aws-lambda-powertools/logger',
  metrics: '@aws-lambda-powertools/metrics',
  tracing: '@aws-lambda-powertools/tracer',
} as const satisfies Readonly<Record<keyof Switches, string>>;

/** What Node says of a package that is not there, for `import` and for `require`. */
const missing: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * @param part what was to be loaded. The line names both parts that are on unless told otherwise, so that it is typed once
 * @returns a UsageError with the line to type if Powertools is not there, else the error as it came
 */
export function notInstalled(part: keyof Switches, cause: unknown): unknown {
  const { code, message = '' } = (cause ?? {}) as { readonly code?: unknown; readonly message?: string };
  // A bundle whose chunks were left behind is missing something else.
  if (!missing.has(code) || !message.includes(packages[part])) return cause;
  const wanted = new Set([packages.logs, packages.metrics, packages[part]]);
  return new UsageError(
    `observed: needs ${packages[part]}, which is not installed: npm install ${[...wanted].join(' ')}, ` +
      `or set ${switchVariables[part]}=off`,
    undefined,
    { cause },
  );
}
