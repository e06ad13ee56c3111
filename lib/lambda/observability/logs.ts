import { type LibraryEvents, type Listeners, listen } from './library-events.js';
import type { Observer, PartSettings } from './observer.js';

/** A line's level. Powertools prints INFO and above unless `POWERTOOLS_LOG_LEVEL` says otherwise. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes one line. */
export type WriteLog = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * A line for each event. What happens every few seconds of a healthy hold is DEBUG, what ends or begins one INFO, and
 * what an operator may have to look at WARN or ERROR. A lease id is never logged: who knows it can release the lease.
 */
export function logListeners(write: WriteLog): Listeners {
  return {
    granted: ({ waitedMs, takenOverFrom, adopted, ...event }) =>
      write(takenOverFrom ? 'warn' : 'info', takenOverFrom ? 'lock taken over' : 'lock granted', {
        ...leaseFields(event),
        waitedMs: Math.round(waitedMs),
        takenOverFrom: holderFields(takenOverFrom),
        adopted,
      }),
    held: ({ name, owner, holder }) =>
      write('info', 'lock held by another', {
        lock: name,
        owner,
        holder: holder && {
          owner: holder.owner,
          token: holder.token,
          acquiredAt: holder.acquiredAt,
          remainingMs: holder.remainingMs,
        },
      }),
    'release-requested': (event) =>
      write('info', 'release requested', { ...leaseFields(event), reason: event.reason }),
    'release-asked': ({ name, token, reason }) =>
      write('info', 'holder asked to let go', { lock: name, token, reason }),
    'permit-granted': (event) =>
      write('info', 'permit granted', {
        ...leaseFields(event),
        permit: event.permit,
        waitedMs: Math.round(event.waitedMs),
      }),
    'line-joined': ({ name, owner, length }) => write('info', 'waits in line', { lock: name, owner, length }),
    elected: (event) => write('info', 'leads', leaseFields(event)),
    'lead-ended': ({ why, ...event }) =>
      write(why === 'lost' ? 'warn' : 'info', 'leads no more', { ...leaseFields(event), why }),
    renewed: (event) =>
      write('debug', 'lease renewed', { ...leaseFields(event), expiresAt: event.expiresAt }),
    'renewal-failed': (event) =>
      write('warn', 'renewal failed', { ...leaseFields(event), error: loggedError(event.error) }),
    lost: (event) =>
      write('error', 'lease lost', {
        ...leaseFields(event),
        reason: event.reason,
        heldMs: Math.round(event.heldMs),
      }),
    released: (event) =>
      write('info', 'lock released', { ...leaseFields(event), heldMs: Math.round(event.heldMs) }),
    completed: (event) =>
      write('info', 'lock completed', { ...leaseFields(event), heldMs: Math.round(event.heldMs) }),
    'handed-over': (event) =>
      write('info', 'lock handed over', { ...leaseFields(event), heldMs: Math.round(event.heldMs) }),
    'release-failed': (event) =>
      write('warn', 'release failed', { ...leaseFields(event), error: loggedError(event.error) }),
    'stale-write-refused': ({ name, token, currentToken, operation }) =>
      write('warn', 'stale write refused', { lock: name, token, currentToken, resource: operation }),
    throttled: ({ table, name, error }) =>
      write('warn', 'table throttled', { table, lock: name, error: loggedError(error) }),
    ...scanLines(write),
  };
}

function scanLines(write: WriteLog): Listeners {
  return {
    'scan-planned': (event) => write('info', 'scan planned', event),
    'scan-slice-acquired': ({ takenOver, takenOverFrom, cursor, lo, hi, attempts, ...event }) =>
      write(takenOver ? 'warn' : 'info', takenOver ? 'slice taken over' : 'slice taken', {
        ...sliceFields(event),
        takenOverFrom: holderFields(takenOverFrom),
        cursor,
        lo,
        hi,
        attempts,
      }),
    'scan-page-done': ({ pages, objects, bytes, totalObjects, ...event }) =>
      write('debug', 'page done', { ...sliceFields(event), pages, objects, bytes, totalObjects }),
    'scan-slice-completed': ({ pages, objects, bytes, ...event }) =>
      write('info', 'slice done', { ...sliceFields(event), pages, objects, bytes }),
    'scan-slice-released': ({ why, error, ...event }) =>
      write(why === 'failed' ? 'warn' : 'info', 'slice given back', {
        ...sliceFields(event),
        why,
        error: given(error),
      }),
    'scan-slice-lost': ({ reason, error, ...event }) =>
      write('warn', 'slice lost', { ...sliceFields(event), reason, error: given(error) }),
    'scan-slice-quarantined': ({ run, seat, slice, name, attempts, lo, hi, error }) =>
      write('error', 'slice quarantined', { run, seat, slice, lock: name, attempts, lo, hi, error }),
    'scan-slice-split': ({ name, ...event }) => write('info', 'slice split', { ...event, lock: name }),
    'scan-seat-ended': (event) => write('info', 'seat ended', { ...event }),
    'scan-foreign-item': ({ run, name, why }) =>
      write('warn', 'foreign item passed over', { run, lock: name, why }),
  };
}

const given = (error: unknown) => (error === undefined ? undefined : loggedError(error));

/** Whose it was, without what could end a lease. */
const holderFields = (holder: { readonly owner: string; readonly token: number } | undefined) =>
  holder && { owner: holder.owner, token: holder.token };

type Named = Pick<LibraryEvents['renewed'], 'name' | 'owner' | 'token'>;
const leaseFields = ({ name, owner, token }: Named) => ({ lock: name, owner, token });

type OfSlice = Pick<LibraryEvents['scan-slice-completed'], 'run' | 'seat' | 'slice' | 'name' | 'token'>;
const sliceFields = ({ run, seat, slice, name, token }: OfSlice) => ({ run, seat, slice, lock: name, token });

/** What a log may tell of an error. */
export interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly reason?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** A cause of a cause of a cause explains nothing any more. */
const maxCauses = 3;

/**
 * An error without its data: that of ours may be a holder's lease id, or what the user's work resulted in, and the
 * SDK's carries the whole response.
 */
export function loggedError(error: unknown, causesLeft = maxCauses): LoggedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: unknown };
  return {
    name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof reason === 'string' && { reason }),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && causesLeft > 0 && { cause: loggedError(cause, causesLeft - 1) }),
  };
}

/** Errors that answer a question: the lock is held, or its work is finished. */
const expected: ReadonlySet<unknown> = new Set(['LockHeldError', 'AlreadyCompletedError']);

/** What is used of Powertools' Logger. */
export type LogWriter = Record<LogLevel, (message: string, fields: Record<string, unknown>) => void> & {
  addContext(context: never): void;
  appendKeys(keys: Record<string, string | number>): void;
  resetKeys(): void;
};

/** Structured logs: a line per event, and one for an invocation that failed. */
export function logs(
  Writer: new (options: { readonly serviceName: string }) => LogWriter,
  { serviceName }: PartSettings,
): Observer {
  const logger = new Writer({ serviceName });
  listen(logListeners((level, message, fields) => logger[level](message, fields)));
  return {
    begin(context, keys) {
      logger.addContext(context as never);
      logger.appendKeys({ ...keys });
      return (failure) => {
        if (failure) {
          const { error } = failure;
          const level = expected.has((error as Error | undefined)?.name) ? 'info' : 'error';
          logger[level]('invocation failed', { error: loggedError(error) });
        }
        logger.resetKeys();
      };
    },
  };
}
