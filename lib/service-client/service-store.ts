import type { StoreClock, TimeInterval } from '../clock/store-clock.js';
import { LineFullError, type LossReason, StoreError, UsageError } from '../errors/index.js';
import { maxTickets, type Ticket } from '../kit/line-store.js';
import type {
  Completion,
  GrantOutcome,
  GrantRequest,
  HolderOutcome,
  LeaseIdentity,
  LeaseItem,
  LeaseStore,
  ResumeOutcome,
  ResumeRequest,
  SeenLease,
} from '../lease/index.js';
import { leaseFormat } from '../lease/index.js';
import { deadlineAfter, type Runtime, sendUntil } from '../runtime/index.js';
import type { ServiceErrorBody, SuccessOf } from '../service/answers.js';
import { isStorable } from '../service/json-value.js';
import type { Operation, RequestOf } from '../service/requests.js';
import type { ItemChange } from '../table/index.js';
import {
  holdsAnswer,
  holdsError,
  isTime,
  noAnswer,
  parsed,
  type RequestKind,
  toFunctionFailure,
  toGrant,
  toItem,
  toRefusedOutcome,
  toTransportError,
} from './service-answer.js';

import type { ServiceTransport } from './service-transport.js';

/** The service grants no shorter lease, in milliseconds. */
const minLeaseMs = 1_000;

/** What a {@link ServiceStore} is made with. */
export interface ServiceStoreOptions {
  readonly transport: ServiceTransport;
  readonly clock: StoreClock;
  readonly runtime: Runtime;
  /** The end of one request over all its attempts, in milliseconds. */
  readonly callTimeoutMs: number;
  /** The secret by which the service knows this client's leases for its own: see `LockClientOptions.ownerKey`. */
  readonly ownerKey: string;
}

type Answered<Name extends Operation> =
  | { readonly done: SuccessOf<Name>; readonly error?: undefined; readonly attempts: number }
  | { readonly done?: undefined; readonly error: ServiceErrorBody; readonly attempts: number };

/**
 * Leases by the lock service (protocol, section 3): each operation is one JSON request. The service has the store's
 * clock; its answers say what time it is, and this client's own clock counts on from before the request was sent.
 */
export class ServiceStore implements LeaseStore {
  readonly takesChanges = false;
  readonly #options: ServiceStoreOptions;

  constructor(options: ServiceStoreOptions) {
    this.#options = options;
  }

  async grant(request: GrantRequest, signal?: AbortSignal): Promise<GrantOutcome> {
    const { name, leaseId, owner, group, seenToken, leaseMs, lockDelayMs, change } = request;
    checkNone(change, name);
    const { ownerKey, clock } = this.#options;
    const { askedAt = clock.instant() } = request;
    const { sentMs, surplusMs } = measureLength(leaseMs);
    const answer = await this.#ask(
      'acquire',
      {
        name,
        leaseId,
        owner,
        leaseMs: sentMs,
        ownerKey,
        ...defined({ group, supersedes: seenToken, lockDelayMs }),
      },
      signal,
    );
    if (answer.done) return { kind: 'granted', grant: toGrant(answer.done, askedAt, surplusMs) };
    const outcome = toRefusedOutcome(name, answer.error, answer.attempts > 1);
    if (!outcome) throw this.#unexpected(name);
    return outcome;
  }

  async resume(request: ResumeRequest, signal?: AbortSignal): Promise<ResumeOutcome> {
    const { name, leaseId, owner, leaseMs, from } = request;
    const { sentMs, surplusMs } = measureLength(leaseMs);
    const asked = {
      name,
      leaseId,
      owner,
      leaseMs: sentMs,
      fromLeaseId: from.leaseId,
      fromToken: from.token,
    };
    const askedAt = this.#options.clock.instant();
    const { done, error } = await this.#ask('resume', asked, signal);
    if (done)
      return { kind: 'granted', grant: { ...toGrant(done, askedAt, surplusMs), resumes: from.leaseId } };
    if (error.name === 'LockLostError') return { kind: 'lost', reason: error.reason };
    const outcome = toRefusedOutcome(name, error, false);
    if (outcome?.kind !== 'completed') throw this.#unexpected(name);
    return outcome;
  }

  async renew(lease: LeaseIdentity, expiresAt: number, change?: ItemChange, signal?: AbortSignal) {
    const request = { ...toIdentity(lease), expiresAt, ...toCheckpoint(change, lease.name) };
    const answer = await this.#ask('renew', request, signal);
    const releaseRequested = answer.done?.renewed.releaseRequested;
    if (releaseRequested === undefined) return this.#holderOutcome(lease, answer);
    // Of the item before, it is the one thing that a holder looks at.
    const { name, token: version = 0 } = lease;
    return { kind: 'done' as const, before: { name, format: leaseFormat, version, releaseRequested } };
  }

  async release(lease: LeaseIdentity, change?: ItemChange, signal?: AbortSignal): Promise<HolderOutcome> {
    const { minHoldMs } = lease;
    const request = { ...toIdentity(lease), ...toCheckpoint(change, lease.name), ...defined({ minHoldMs }) };
    const answer = await this.#ask('release', request, signal);
    if (!answer.done) return this.#holderOutcome(lease, answer);
    const { released, reason = 'taken-over' } = answer.done;
    if (released) return { kind: 'done' };
    checkKnown(lease, reason, answer.attempts);
    return { kind: 'lost', reason };
  }

  async complete(lease: LeaseIdentity, completion: Completion, signal?: AbortSignal) {
    const { result, retainMs, change } = completion;
    checkNone(change, lease.name);
    checkStorable(result, lease.name);
    const request = { ...toIdentity(lease), ...defined({ result, retainMs }) };
    const answer = await this.#ask('complete', request, signal);
    const outcome = this.#holderOutcome(lease, answer);
    if (outcome.kind === 'lost') checkKnown(lease, outcome.reason, answer.attempts);
    return outcome;
  }

  async break({ name, leaseId }: LeaseIdentity, signal?: AbortSignal): Promise<HolderOutcome> {
    const { broken } = await this.#done('break', { name, leaseId }, signal);
    return broken ? { kind: 'done' } : { kind: 'lost', reason: 'taken-over' };
  }

  async requestRelease(lease: SeenLease, reason: string, signal?: AbortSignal): Promise<boolean> {
    const { name, leaseId, token } = lease;
    const request = { name, reason, ...defined({ leaseId, token }) };
    return (await this.#done('requestRelease', request, signal)).asked;
  }

  async readLine(name: string, signal?: AbortSignal): Promise<readonly Ticket[]> {
    return (await this.#done('line', { name }, signal)).tickets;
  }

  async joinLine(name: string, { id: ticketId, deadline }: Ticket, signal?: AbortSignal): Promise<void> {
    const request = { name, ticketId, deadline: Math.ceil(deadline) };
    const { done, error } = await this.#ask('joinLine', request, signal);
    if (done) return;
    if (error.name === 'LineFullError') throw new LineFullError(name, maxTickets);
    throw this.#unexpected(name);
  }

  async leaveLine(name: string, { id: ticketId }: Pick<Ticket, 'id'>, signal?: AbortSignal): Promise<void> {
    await this.#done('leaveLine', { name, ticketId }, signal);
  }

  async reopen(name: string, completedAt?: number, signal?: AbortSignal): Promise<boolean> {
    const seen = completedAt ?? (await this.#findCompletion(name, signal));
    return (await this.#done('reopen', { name, ...defined({ completedAt: seen }) }, signal)).open;
  }

  /** What is no completion of ours, and is to be mended, is for the service to find. */
  async #findCompletion(name: string, signal: AbortSignal | undefined): Promise<number | undefined> {
    try {
      return (await this.read(name, undefined, signal))?.completedAt;
    } catch (error) {
      if (error instanceof UsageError) return undefined;
      throw error;
    }
  }

  async read(name: string, leaseId?: string, signal?: AbortSignal): Promise<LeaseItem | undefined> {
    const { lock } = await this.#done('inspect', { name, ...defined({ leaseId }) }, signal);
    return lock ? toItem(lock) : undefined;
  }

  async readMany(
    names: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (LeaseItem | undefined)[]> {
    if (names.length === 0) return [];
    const { locks } = await this.#done('readMany', { names: [...names] }, signal);
    return locks.map((lock) => (lock ? toItem(lock) : undefined));
  }

  async *list(group: string | undefined, signal?: AbortSignal): AsyncIterable<readonly LeaseItem[]> {
    let cursor: string | undefined;
    do {
      const page: SuccessOf<'list'> = await this.#done('list', defined({ group, cursor }), signal);
      yield page.locks.map(toItem);
      // What goes round in a circle would be listed for ever.
      if (page.cursor !== undefined && page.cursor === cursor)
        throw noAnswer(this.#options.transport.service, undefined, 'read');
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** Nothing to do: the answer to the request itself tells the time. */
  async ensureTime(): Promise<void> {}

  #holderOutcome(lease: LeaseIdentity, { done, error }: Answered<Operation>): HolderOutcome {
    if (done) return { kind: 'done' };
    if (error.name === 'LockLostError') return { kind: 'lost', reason: error.reason };
    throw this.#unexpected(lease.name);
  }

  async #done<Name extends Operation>(
    operation: Name,
    request: Omit<RequestOf<Name>, 'operation'>,
    signal: AbortSignal | undefined,
  ): Promise<SuccessOf<Name>> {
    const { done } = await this.#ask(operation, request, signal);
    if (done) return done;
    const { name } = request as { readonly name?: string };
    throw noAnswer(this.#options.transport.service, name, requestKind(operation));
  }

  /** One request; errors that are no outcome of it are thrown. */
  async #ask<Name extends Operation>(
    operation: Name,
    request: Omit<RequestOf<Name>, 'operation'>,
    signal: AbortSignal | undefined,
  ): Promise<Answered<Name>> {
    const { transport, clock, runtime, callTimeoutMs } = this.#options;
    const { service } = transport;
    const { name } = request as { readonly name?: string };
    const kind = requestKind(operation);
    const deadline = deadlineAfter(runtime, callTimeoutMs, signal);
    const sentAt = clock.instant();
    const body = JSON.stringify({ operation, ...request });
    // The SDK would report an AbortError of its own; the signal's reason says whose doing it was.
    const response = await sendUntil(deadline, (ends) => transport.send(body, ends)).catch((error) => {
      // The caller's reason may be one of our errors, as the loss of another lease is: it says nothing of this request.
      const isGivenUp = signal?.aborted && error === signal.reason;
      const cause = isGivenUp ? new DOMException('the caller has given up', 'AbortError') : error;
      throw toTransportError(cause, service, name, kind, clock.isSet);
    });
    if (response.failed) throw toFunctionFailure(response, service, name, kind);

    const answer = parsed(response.payload);
    const { attempts } = response;
    if (isTime(answer.now)) clock.learn(sentAt, answer.now as TimeInterval);
    if (holdsAnswer(operation, answer, request)) return { done: answer as SuccessOf<Name>, attempts };
    const { ok, error } = answer;
    if (ok !== false || !holdsError(error)) throw noAnswer(service, name, kind);
    if (error.name === 'StoreError') throw storeError(error, kind, attempts);
    if (error.name === 'UsageError') throw usageError(error);
    return { error, attempts };
  }

  /** An error of the service, but none that this operation can end with. */
  #unexpected(name: string): StoreError {
    return noAnswer(this.#options.transport.service, name, 'write');
  }
}

/** A lease as the service grants it, and by how much that is longer than the one that is wanted: whole milliseconds. */
function measureLength(leaseMs: number): { readonly sentMs: number; readonly surplusMs: number } {
  const wholeMs = Math.ceil(leaseMs);
  const sentMs = Math.max(minLeaseMs, wholeMs);
  return { sentMs, surplusMs: sentMs - wholeMs };
}

const reads: ReadonlySet<Operation> = new Set<Operation>(['inspect', 'list', 'readMany', 'line']);

function requestKind(operation: Operation): RequestKind {
  return reads.has(operation) ? 'read' : 'write';
}

function storeError(
  { message, lockName, retryable, mayHaveApplied }: Extract<ServiceErrorBody, { name: 'StoreError' }>,
  kind: RequestKind,
  attempts: number,
): StoreError {
  return new StoreError(message, lockName, {
    retryable: retryable === true,
    mayHaveApplied: kind === 'write' && (mayHaveApplied !== false || attempts > 1),
  });
}

function usageError({
  message,
  lockName,
  code,
}: Extract<ServiceErrorBody, { name: 'UsageError' }>): UsageError {
  return new UsageError(message, lockName, { code });
}

function toIdentity({ name, leaseId, token, mayHaveEnded }: LeaseIdentity) {
  const retries = mayHaveEnded ? 1 : undefined;
  return { name, leaseId, ...defined({ token, retries }) } as {
    name: string;
    leaseId: string;
    token: number;
  };
}

/**
 * The service is told of the attempts that this client knows of, not of those of the SDK underneath: what finds another
 * holder may be the repeat of one that was applied and not answered.
 *
 * @throws StoreError if nobody can know
 */
function checkKnown({ name }: LeaseIdentity, reason: LossReason, attempts: number): void {
  if (reason !== 'taken-over' || attempts <= 1) return;
  const message = `An earlier attempt to end the lease of "${name}" may have been applied: others have had the lock since`;
  throw new StoreError(message, name, { retryable: false, mayHaveApplied: true });
}

/** The one thing that rides along through the service. */
function toCheckpoint(change: ItemChange | undefined, name: string) {
  const { checkpoint, ...others } = change?.set ?? {};
  const removed = change?.remove ?? [];
  checkNone(
    change && { ...change, set: others, remove: removed.filter((attribute) => attribute !== 'checkpoint') },
    name,
  );
  if (checkpoint === undefined) return removed.length > 0 ? { clearCheckpoint: true as const } : {};
  checkStorable(checkpoint, name);
  return { checkpoint };
}

function checkNone(change: ItemChange | undefined, name: string): void {
  if (!change || (!change.condition && !change.compute && isEmpty(change.set) && isEmpty(change.remove)))
    return;
  const message =
    'change: attributes and conditions of your own need a client with a table, not one with a service';
  throw new UsageError(message, name);
}

function isEmpty(values: object | undefined): boolean {
  return Object.values(values ?? {}).every((value) => value === undefined);
}

function checkStorable(value: unknown, name: string): void {
  if (value === undefined || isStorable(value)) return;
  throw new UsageError(
    `The lock service can't carry what "${name}" was given: it is no JSON, or too large`,
    name,
  );
}

function defined<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
