import { createLockServiceHandler } from '../../../lib/lambda/index.js';
import { createLockService, type LockServiceOptions } from '../../../lib/service/index.js';
import type { Actor } from '../stage.js';

/** An answer, looked at loosely. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type AnyAnswer = any;

/** The service's handler in this process, over an actor's table: what it sends is metered and can go wrong. */
export function handlerOver(
  actor: Actor,
  options: Partial<LockServiceOptions> = {},
  remainingMs = 10_000,
): (event: unknown) => Promise<AnyAnswer> {
  const service = createLockService({ context: actor.locks.context, ...options });
  const handler = createLockServiceHandler({ service });
  const context = { getRemainingTimeInMillis: () => remainingMs };
  return (event) => handler(event, context);
}

/** Requests that are right, one of each operation, about one lock. */
export function rightRequests(name: string, leaseId = 'lease-id-1') {
  const held = { name, leaseId };
  return {
    acquire: { operation: 'acquire', ...held, owner: 'worker', leaseMs: 30_000 },
    resume: {
      operation: 'resume',
      ...held,
      owner: 'worker',
      leaseMs: 30_000,
      fromLeaseId: 'lease-id-0',
      fromToken: 1,
    },
    renew: { operation: 'renew', ...held, token: 1, leaseMs: 30_000 },
    release: { operation: 'release', ...held, token: 1 },
    complete: { operation: 'complete', ...held, token: 1, result: { sum: 42 } },
    inspect: { operation: 'inspect', name },
    list: { operation: 'list', group: 'g' },
    readMany: { operation: 'readMany', names: [name, `${name}/other`] },
    requestRelease: { operation: 'requestRelease', name, token: 1, reason: 'deployment' },
    line: { operation: 'line', name },
    joinLine: { operation: 'joinLine', name, ticketId: 'ticket-id-1', deadline: 1_900_000_000_000 },
    leaveLine: { operation: 'leaveLine', name, ticketId: 'ticket-id-1' },
    break: { operation: 'break', ...held },
    reopen: { operation: 'reopen', name },
  } as const;
}
