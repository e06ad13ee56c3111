import { quoted, UsageError } from '../errors/index.js';
import { maxLeaseMs } from './check-options.js';

/**
 * A lease on its way from one process to the next, as JSON: what `handOver` answers and `resume` takes. Whoever has it
 * can take the lock over, so treat it as a secret of those who may.
 */
export interface HandedOver {
  /** The form of this object. */
  readonly handOver: 1;
  readonly name: string;
  readonly leaseId: string;
  readonly token: number;
  /** Who handed it over, for people. */
  readonly owner: string;
  /** Until then nobody else can have the lock: store time in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** How long the lease ran without a renewal, in milliseconds; goes on with it. */
  readonly leaseMs: number;
}

/**
 * Reads what came from outside as a lease that was handed over. The name is for the caller to check; fields that it
 * does not know are left alone, since a later version may add some.
 *
 * @throws UsageError that names the field
 */
export function parseHandedOver(json: unknown): HandedOver {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new UsageError(`resume: must be the object that handOver answered, got ${quoted(json)}`);
  }
  const { handOver, name, leaseId, token, owner, expiresAt, leaseMs } = json as Record<string, unknown>;
  demand('handOver', handOver === 1, '1: another version wrote this, or it is something else', handOver);
  demand('name', typeof name === 'string', 'a string', name);
  demand('leaseId', isId(leaseId), '1 to 64 visible ASCII characters', leaseId);
  demand('token', isWhole(token, 1), 'a whole number, at least 1', token);
  demand('owner', typeof owner === 'string', 'a string', owner);
  demand('expiresAt', isWhole(expiresAt, 1), 'a whole number of milliseconds', expiresAt);
  demand('leaseMs', isLength(leaseMs), `a number from 1 to ${maxLeaseMs}`, leaseMs);
  return { handOver: 1, name, leaseId, token, owner, expiresAt, leaseMs } as HandedOver;
}

function demand(field: string, isRight: boolean, limit: string, value: unknown): void {
  if (!isRight) throw new UsageError(`resume: ${field} must be ${limit}; got ${quoted(value)}`);
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[!-~]{1,64}$/.test(value);
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function isLength(value: unknown): boolean {
  return typeof value === 'number' && value >= 1 && value <= maxLeaseMs;
}
