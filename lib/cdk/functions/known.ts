import { type Duration, Token, Tokenization } from 'aws-cdk-lib';

/**
 * Refuses values that only deployment knows where they decide what is made: an `if` over them would go one way at
 * synthesis, whatever they turn out to be.
 *
 * @param path what comes before the names, such as `sweeper.`
 * @throws Error that names the property
 */
export function checkKnown<T extends object>(
  props: T | undefined,
  names: readonly (keyof T & string)[],
  path = '',
): void {
  for (const name of names) {
    const value: unknown = props?.[name];
    if (!Token.isUnresolved(value) && !(value as Duration | undefined)?.isUnresolved?.()) continue;
    throw new Error(
      `${path}${name}: must be known when the app is synthesized, got a value that only deployment knows (a CloudFormation parameter, an attribute of a resource)`,
    );
  }
}

/** A whole number as text; one that only deployment knows stays a reference. */
export function wholeText(value: number): string {
  return Token.isUnresolved(value) ? Tokenization.stringifyNumber(value) : String(value);
}

/**
 * A duration in milliseconds. One that only deployment knows can't be converted.
 *
 * @throws Error that names the property, if it was made in another unit
 */
export function wholeMilliseconds(name: string, value: Duration): number {
  return inUnit(name, value, 'Duration.millis', () => value.toMilliseconds());
}

/** The same in seconds. */
export function wholeSeconds(name: string, value: Duration): number {
  return inUnit(name, value, 'Duration.seconds', () => value.toSeconds());
}

function inUnit(name: string, value: Duration, maker: string, convert: () => number): number {
  try {
    return convert();
  } catch (error) {
    if (!value.isUnresolved()) throw error;
    throw new Error(
      `${name}: must be made by ${maker}(…) where only deployment knows it, since CloudFormation can't convert units, got ${value.unitLabel()}`,
    );
  }
}

/** @throws Error that names the property, its limits and what came; what is known only at deployment passes */
export function checkWhole(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const limits = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
  throw new Error(`${name}: must be a whole number${limits}, got ${value}`);
}

/** @throws Error that names the property, the limit and what came; what is known only at deployment passes */
export function checkName(name: string, value: string | undefined, form: RegExp, inWords: string): void {
  if (value === undefined || Token.isUnresolved(value)) return;
  if (typeof value === 'string' && form.test(value)) return;
  throw new Error(`${name}: must be ${inWords}, got ${JSON.stringify(value)?.slice(0, 300)}`);
}
