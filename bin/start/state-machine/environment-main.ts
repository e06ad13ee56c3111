/**
 * The entry of an execution environment: loads one handler, then answers invocations one at a time.
 * Runs in a child process of its own; imports nothing at run time but Node, so that it starts fast.
 */
import { pathToFileURL } from 'node:url';
import type { CarriedError, EnvironmentMessage, InvokeMessage } from './environment-messages.js';

type Handler = (event: unknown, context: unknown) => unknown;

const [, , modulePath = '', exportName = 'handler'] = process.argv;

// The parent decides when an environment ends: a Ctrl-C goes to the whole terminal group, and a worker that
// died of it on its own would look like a crash to be retried. Without a parent there is nothing to live for.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit(0));

try {
  const handler = await loadHandler();
  process.on('message', (message: Partial<InvokeMessage>) => {
    if (message.leasehold === 'invoke') void answer(handler, message as InvokeMessage);
  });
  tell({ leasehold: 'ready' });
} catch (error) {
  tell({ leasehold: 'init-failed', error: carried(error) });
}

async function loadHandler(): Promise<Handler> {
  const module = (await import(pathToFileURL(modulePath).href)) as Record<string, unknown>;
  const handler = module[exportName];
  if (typeof handler === 'function') return handler as Handler;
  const error = new Error(`${exportName} is undefined or not exported`);
  error.name = 'Runtime.HandlerNotFound';
  throw error;
}

async function answer(handler: Handler, { requestId, event, deadlineAtMs }: InvokeMessage): Promise<void> {
  const context = {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    getRemainingTimeInMillis: () => Math.max(0, deadlineAtMs - Date.now()),
  };
  try {
    const result = await handler(JSON.parse(event), context);
    tell({ leasehold: 'answer', requestId, payload: JSON.stringify(result ?? null) });
  } catch (error) {
    tell({ leasehold: 'failed', requestId, error: carried(error) });
  }
}

function carried(error: unknown): CarriedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return { name: error.name, message: error.message, stack: error.stack };
}

function tell(message: EnvironmentMessage): void {
  // The callback takes the error of a channel that is closed already; the parent sees the exit.
  process.send?.(message, undefined, undefined, () => {});
}
