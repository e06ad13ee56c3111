import { inspect } from 'node:util';
import type { CommanderError } from 'commander';
import { jsonText, note } from '../terminal/output.js';
import { printable } from '../terminal/styled-line.js';
import { exitCodeOf } from './exit-codes.js';

/** The command was understood and did not do what it was asked to: exit code 1 and one line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  /** Stable, for programs. */
  readonly code: string;
  /** What else is known, for `--json`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Nothing can work before the set-up is mended: no Region, a file that the environment names and that is not there. */
export class SetUpFailure extends Error {
  override readonly name = 'SetUpFailure';
  /** Stable, for programs. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** How errors are told. */
export interface ErrorStyle {
  readonly json: boolean;
  readonly verbose: boolean;
}

/**
 * Tells an error on stderr: one line, or one line of JSON; never a stack unless it was asked for.
 *
 * @returns the exit code that it deserves
 */
export function reportError(thrown: unknown, how: ErrorStyle): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (how.json) note(jsonText({ error: describe(error) }));
  // commander has told it already, and added where to find help.
  else if (error.name !== 'CommanderError') note(printable(`leasehold: ${toSentence(error)}`));
  if (how.verbose && !how.json) note(inspect(error));
  return exitCodeOf(error);
}

function toSentence(error: Error): string {
  return error.message.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

/**
 * What one command needs and others do not may not be installed: it is named with the line to type.
 *
 * @param packages those that a user adds to this one
 * @returns a SetUpFailure in place of Node's own error; any other error as it is
 */
export function nameMissing(error: unknown, packages: readonly string[]): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND') return error;
  const missing = packages.find((name) => message.includes(`'${name}'`));
  if (missing === undefined) return error;
  return new SetUpFailure(
    'NOT_INSTALLED',
    `This needs ${missing}, which is not installed: npm install ${missing}`,
  );
}

/** Fields of our errors, of which each has some. */
interface KnownFields {
  readonly code?: string;
  readonly lockName?: string;
  readonly retryable?: boolean;
  readonly mayHaveApplied?: boolean;
  readonly data?: CommandFailure['data'];
}

/** What programs may want to know. The SDK's own errors carry whole responses, which are left out. */
function describe(error: Error): Record<string, unknown> {
  if (error.name === 'CommanderError') return { name: 'UsageError', code: 'USAGE', message: toUsage(error) };
  const { name, message, cause } = error;
  const known = error as Error & KnownFields;
  return {
    name,
    code: known.code,
    message,
    lockName: known.lockName,
    retryable: known.retryable,
    mayHaveApplied: known.mayHaveApplied,
    ...known.data,
    ...(cause instanceof Error && { cause: { name: cause.name, message: cause.message } }),
  };
}

function toUsage(error: Error): string {
  const { code, message } = error as CommanderError;
  return code === 'commander.help' ? 'no command was given' : message.replace(/^error: /, '');
}

/** Nobody ever held the name, or TTL has removed its item. */
export function noSuchLock(name: string, table: string): CommandFailure {
  return new CommandFailure('NO_SUCH_LOCK', `There is no lock "${name}" in table "${table}"`, {
    lockName: name,
    table,
  });
}
