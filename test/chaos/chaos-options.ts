import { parseArgs } from 'node:util';

/** How a run of chaos is made. */
export interface ChaosOptions {
  /** How long faults strike. */
  readonly minutes: number;
  readonly seed: number;
  readonly workers: number;
  readonly json: boolean;
  /** A directory that the workers' journals are left in. */
  readonly keep: string | undefined;
}

/** The call can't be right. */
export class BadCallError extends Error {
  override readonly name = 'BadCallError';
}

/** Shown for `--help`. */
export const usage = `npm run chaos -- [options]

  --minutes <n>   how long faults strike; fractions are fine (default 1)
  --seed <n>      the same seed strikes the same workers in the same ways at the same times (default 1)
  --workers <n>   processes at a time (default 12)
  --keep <dir>    leave the workers' journals in this directory
  --json          one JSON object on stdout instead of the tables

Exit code: 0 nothing violated, 1 a violation, 2 the call can't be right, 130 interrupted with nothing violated.
`;

/**
 * Reads the command line.
 *
 * @returns `undefined` when help was asked for
 * @throws BadCallError
 */
export function chaosOptionsOf(args: readonly string[]): ChaosOptions | undefined {
  const values = parsed(args);
  if (values.help) return undefined;
  return {
    minutes: toNumber('--minutes', values.minutes, 0.05, 24 * 60),
    seed: wholeNumberOf('--seed', values.seed, 0, 2 ** 31),
    workers: wholeNumberOf('--workers', values.workers, 2, 100),
    json: values.json,
    keep: values.keep,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '1' },
        seed: { type: 'string', default: '1' },
        workers: { type: 'string', default: '12' },
        keep: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new BadCallError((error as Error).message);
  }
}

function toNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new BadCallError(`${option}: must be a number from ${least} to ${most}, got ${JSON.stringify(text)}`);
}

function wholeNumberOf(option: string, text: string, least: number, most: number): number {
  const value = toNumber(option, text, least, most);
  if (Number.isInteger(value)) return value;
  throw new BadCallError(`${option}: must be a whole number, got ${JSON.stringify(text)}`);
}
