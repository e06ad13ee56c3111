import { Logger } from '@aws-lambda-powertools/logger';
import { logListeners } from './event-logs.js';
import { listen } from './library-events.js';
import { loggedError } from './logged-error.js';
import type { Observer } from './observer.js';

/** Errors that answer a question: the lock is held, or its work is finished. */
const expected: ReadonlySet<unknown> = new Set(['LockHeldError', 'AlreadyCompletedError']);

/** Structured logs of Powertools: a line per event, and one for an invocation that failed. */
export function logs(serviceName: string): Observer {
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
