import type { StoreError } from '../../lib/errors/index.js';
import { findKind, toSdkError } from '../../lib/errors/known-errors.js';
import type { Interrupted } from '../terminal/interruption.js';

/** What the command line ends with. Those from 64 on are as `sysexits.h` has them, where it has one. */
export const exitCodes = {
  /** Not done, or done with failures. */
  failed: 1,
  /** The call can't be right. */
  usage: 2,
  /** The store, or another service, is out of reach or throttled: the same call may work later. */
  unavailable: 69,
  /** Somebody else holds the lock, or so many wait for it that there is no place in line. */
  held: 75,
  /** The lock was lost while the command ran. */
  lost: 76,
  /** The set-up is broken: no table, permission, credentials or Region. */
  setUp: 78,
  /** The work under this name is completed; nobody can acquire it. */
  completed: 79,
  /** As in a shell: the command is there and can't be executed … */
  notExecutable: 126,
  /** … or it is not there. */
  notFound: 127,
} as const;

/** For the help of every command that uses the table. */
export const commonExitCodes = '2 usage, 69 store out of reach or throttled, 78 broken set-up';

/** Where a command that ended without an error leaves another exit code than 0. */
export interface Outcome {
  exitCode: number;
}

interface SdkError extends Error {
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $retryable?: { readonly throttling?: boolean };
  readonly code?: unknown;
}

/** The exit code that an error deserves. Errors are told apart by `name`, never by their class. */
export function exitCodeOf(error: Error): number {
  switch (error.name) {
    case 'CommanderError':
    case 'UsageError':
      return exitCodes.usage;
    case 'Interrupted':
      return (error as Interrupted).exitCode;
    case 'LockHeldError':
    case 'LineFullError':
      return exitCodes.held;
    case 'LockLostError':
      return exitCodes.lost;
    case 'AlreadyCompletedError':
      return exitCodes.completed;
    case 'SetUpFailure':
      return exitCodes.setUp;
    case 'StoreError':
      return exitCodeOfStore(error as StoreError);
    case 'CommandFailure':
      return exitCodes.failed;
    default:
      return exitCodeOfSdk(error as SdkError);
  }
}

function exitCodeOfStore({ retryable, cause }: StoreError): number {
  // A wait rides out credentials that are renewed; at its end it is they that are the matter.
  const areRefused = findKind(toSdkError(cause)) === 'credentials';
  if (!retryable || areRefused || isBadCertificate(cause as SdkError | undefined)) return exitCodes.setUp;
  return exitCodes.unavailable;
}

/** Errors of the AWS SDK that come as they are, such as those of Step Functions. */
function exitCodeOfSdk(error: SdkError): number {
  const { name, $fault, $metadata, $retryable, code } = error;
  const ofTheSdk = $fault !== undefined || $metadata !== undefined;
  if (name === 'CredentialsProviderError' || isBadCertificate(error)) return exitCodes.setUp;
  if ($retryable?.throttling || /Throttl|TooManyRequests/.test(name)) return exitCodes.unavailable;
  if ($fault === 'client') return exitCodes.setUp;
  const network = typeof code === 'string' && /^E[A-Z]+$/.test(code);
  return ofTheSdk || network || name === 'TimeoutError' ? exitCodes.unavailable : exitCodes.failed;
}

/** Nothing that passes: the system does not trust the other side, as behind a proxy whose certificate is not known. */
function isBadCertificate(error: SdkError | undefined): boolean {
  return typeof error?.code === 'string' && /CERT|UNABLE_TO_|ERR_TLS/.test(error.code);
}
