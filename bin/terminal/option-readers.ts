import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a duration such as `30s`, `5m`, `1500ms` or `1.5h`. A bare number is refused: whether `30` means seconds or
 * milliseconds is a factor of a thousand that nobody should guess.
 *
 * @returns milliseconds, a whole number above 0
 * @throws InvalidArgumentError, which commander shows as a usage error
 */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const ms = match ? Math.round(Number(match[1]) * unitMs[match[2]!]!) : 0;
  if (ms > 0 && Number.isSafeInteger(ms)) return ms;
  throw new InvalidArgumentError('A duration needs a number above 0 and a unit: 30s, 5m, 1500ms, 2h.');
}

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

/**
 * Reads the address of an endpoint.
 *
 * @throws InvalidArgumentError, which commander shows as a usage error
 */
export function endpointUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be a URL such as http://localhost:8000.');
}
