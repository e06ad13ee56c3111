import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formatDuration } from '../terminal/figures.js';
import { durationMs, wholeNumber } from '../terminal/option-readers.js';
import { printable } from '../terminal/styled-line.js';

/** What `npm start` does unless told otherwise: one constant per default, read by the code and by `--help`. */
const startDefaults = {
  seats: 4,
  slices: 24,
  pageSize: 100,
  lease: '4s',
  seed: 7,
} as const;

/** Limits of the options. Each seat is a process of its own, so there is an end to them. */
const startLimits = {
  seats: { least: 1, most: 64 },
  slices: { least: 1, most: 10_000 },
  pageSize: { least: 1, most: 1_000 },
  leaseMs: { least: 1_000, most: 600_000 },
  seed: { least: 0, most: 0xffff_ffff },
} as const;

/** What a run was asked for. */
export interface StartOptions {
  /** Absolute path of the directory that is scanned. */
  readonly directory: string;
  readonly seats: number;
  readonly slices: number;
  readonly pageSize: number;
  readonly leaseMs: number;
  readonly seed: number;
  readonly faults: boolean;
  readonly json: boolean;
  /** The engine asked for; absent: the first that is there, Docker aside. */
  readonly engine?: 'endpoint' | 'docker' | 'dynoxide' | 'dynalite';
}

/** This project's own dependencies: tens of thousands of real files that every clone has. */
const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url));

const engines = ['endpoint', 'docker', 'dynoxide', 'dynalite'] as const;

/**
 * Reads the command line.
 *
 * @param args without the interpreter and the script
 * @throws CommanderError, its message printed already, for what can't be understood and after `--help`
 */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const program = new Command('npm start --')
    .description(
      'Scans a directory as an S3 bucket with many workers under leases, on this machine alone: ' +
        'one worker is killed, one is stopped past its lease, and nothing is lost or done twice.',
    )
    .option('--dir <path>', "the directory to scan (default: this project's node_modules)")
    .option('--seats <n>', 'workers at once, a process each', count('seats'), startDefaults.seats)
    .option('--slices <n>', 'slices to plan', count('slices'), startDefaults.slices)
    .option('--page-size <n>', 'keys in a request', count('pageSize'), startDefaults.pageSize)
    .addOption(
      new Option('--lease <duration>', 'how long a lease runs without a renewal')
        .argParser(leaseMs)
        .default(leaseMs(startDefaults.lease), startDefaults.lease),
    )
    .option('--seed <n>', 'which workers are struck, and where', count('seed'), startDefaults.seed)
    .option('--no-faults', 'strike nobody')
    .option('--json', 'one JSON object on stdout, progress on stderr', false)
    .addOption(new Option('--engine <name>', 'the DynamoDB to use').choices(engines))
    .addHelpText('after', '\nExample:\n  npm start -- --dir ~/Pictures --seats 4 --lease 3s\n')
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .exitOverride();
  const given = program.parse([...args], { from: 'user' }).opts();
  return {
    directory: given.dir === undefined ? ownModules : resolve(given.dir),
    seats: given.seats,
    slices: given.slices,
    pageSize: given.pageSize,
    leaseMs: given.lease,
    seed: given.seed,
    faults: given.faults,
    json: given.json,
    ...(given.engine !== undefined && { engine: given.engine }),
  };
}

function count(option: 'seats' | 'slices' | 'pageSize' | 'seed'): (text: string) => number {
  const { least, most } = startLimits[option];
  return wholeNumber(least, most);
}

function leaseMs(text: string): number {
  const { least, most } = startLimits.leaseMs;
  const ms = durationMs(text);
  if (ms >= least && ms <= most) return ms;
  throw new InvalidArgumentError(`It must be from ${formatDuration(least)} to ${formatDuration(most)}.`);
}

/** Something that the user gave can't be used; the message is for them, one line. */
class BadInputError extends Error {
  override readonly name = 'BadInputError';
}

/** @throws BadInputError unless it is a directory that this process may read */
export async function checkDirectory(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BadInputError(`--dir: there is no directory ${path}`);
    throw new BadInputError(`--dir: ${path} can't be used: ${error.code ?? error.message}`);
  });
  if (!found.isDirectory()) throw new BadInputError(`--dir: ${path} is not a directory`);
  await access(path, constants.R_OK | constants.X_OK).catch(() => {
    throw new BadInputError(`--dir: no permission to read ${path}`);
  });
}

/** What is run, in one line: the directory, the engine once it is known, the options. */
export function subtitle(options: StartOptions, engine: string | undefined): string {
  const { seats, slices, pageSize, leaseMs, seed, faults } = options;
  return [
    printable(formatDirectory(options.directory)),
    ...(engine === undefined ? [] : [engine]),
    `${seats} seats`,
    `${slices} slices`,
    `pages of ${pageSize}`,
    `lease ${leaseMs / 1_000} s`,
    faults ? `seed ${seed}` : 'no faults',
  ].join(' · ');
}

/** A directory below the working one without what they share. */
function formatDirectory(directory: string): string {
  const below = relative(process.cwd(), directory);
  return below === '' || below.startsWith('..') ? directory : below;
}
