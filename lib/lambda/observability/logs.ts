import type { Logger } from '@aws-lambda-powertools/logger';
import { logListeners } from './event-logs.js';
import { listen } from './library-events.js';
import { loggedError } from './logged-error.js';
import { notInstalled } from './not-installed.js';
import type { Observer } from './observer.js';

/** Errors that answer a question: the lock is held, or its work is finished. */
const expected: ReadonlySet<unknown> = new Set(['LockHeldError', 'AlreadyCompletedError']);

/**
 * Structured logs of Powertools: a line per event, and one for an invocation that failed.
 *
 * @throws UsageError if Powertools is not installed
 */
export async function logs(serviceName: string): Promise<Observer> {
  const Logger = await loadLogger();
  const logger = new Logger({ serviceName });
  listen(logListeners((level, message, fields) => logger[level](message, fields)));
  return {
    begin(context, keys) {
      logger.addContext(context as unknown as Parameters<Logger['addContext']>[0]);
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

/** The try stands around the import itself: bundlers then let a package pass that is not there. */
async function loadLogger() {
  try {
    return (await import('@aws-lambda-powertools/logger')).Logger;
  } catch (error) {
    throw notInstalled('logs', error);
  }
}
