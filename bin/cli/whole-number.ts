import { InvalidArgumentError } from 'commander';

/**
 * A reader of whole numbers for an option.
 *
 * @returns a function that throws InvalidArgumentError, which commander shows as a usage error
 */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
