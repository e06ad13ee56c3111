import { UsageError } from '../errors/index.js';

/**
 * Refuses a setting that is no whole number in its range: `Number(process.env.UNSET)` is `NaN`, and compares as neither
 * more nor less than anything.
 *
 * @throws UsageError that names the option, its range and its value
 */
export function checkWholeNumber(
  option: string,
  value: unknown,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
  throw new UsageError(`${option}: must be a whole number${range}, got ${String(value)}`);
}

/** As {@link checkWholeNumber}, for milliseconds, which may be fractions. @throws UsageError */
export function checkMilliseconds(option: string, value: unknown, least: number): void {
  if (typeof value === 'number' && value >= least) return;
  throw new UsageError(
    `${option}: must be a number of milliseconds, at least ${least}, got ${String(value)}`,
  );
}
