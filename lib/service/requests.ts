import * as v from 'valibot';
import * as field from './fields.js';

const anyRequest = { throw: v.optional(field.throws) };
const attempted = { retries: v.optional(field.retries) };
const held = { name: field.name, leaseId: field.leaseId };

/** Every request by its operation. What is not listed is refused. */
export const requests = {
  acquire: v.strictObject({
    operation: v.literal('acquire'),
    ...held,
    leaseMs: field.leaseMs,
    owner: v.optional(field.owner),
    group: v.optional(field.group),
    ownerKey: v.optional(field.ownerKey),
    supersedes: v.optional(field.supersedes),
    lockDelayMs: v.optional(field.lockDelayMs),
    execution: v.optional(field.execution),
    ...anyRequest,
  }),
  resume: v.strictObject({
    operation: v.literal('resume'),
    ...held,
    leaseMs: field.leaseMs,
    owner: field.owner,
    fromLeaseId: field.fromLeaseId,
    fromToken: field.token,
    ...anyRequest,
  }),
  renew: v.strictObject({
    operation: v.literal('renew'),
    ...held,
    token: field.token,
    expiresAt: v.optional(field.expiresAt),
    leaseMs: v.optional(field.leaseMs),
    checkpoint: v.optional(field.checkpoint),
    clearCheckpoint: v.optional(field.clearCheckpoint),
    ...attempted,
    ...anyRequest,
  }),
  release: v.strictObject({
    operation: v.literal('release'),
    ...held,
    token: v.optional(field.token),
    minHoldMs: v.optional(field.minHoldMs),
    checkpoint: v.optional(field.checkpoint),
    clearCheckpoint: v.optional(field.clearCheckpoint),
    ...attempted,
    ...anyRequest,
  }),
  complete: v.strictObject({
    operation: v.literal('complete'),
    ...held,
    token: field.token,
    result: v.optional(field.result),
    retainMs: v.optional(field.retainMs),
    ...attempted,
    ...anyRequest,
  }),
  inspect: v.strictObject({
    operation: v.literal('inspect'),
    name: field.name,
    leaseId: v.optional(field.leaseId),
    ...anyRequest,
  }),
  list: v.strictObject({
    operation: v.literal('list'),
    group: v.optional(field.group),
    limit: v.optional(field.limit),
    cursor: v.optional(field.cursor),
    ...anyRequest,
  }),
  readMany: v.strictObject({ operation: v.literal('readMany'), names: field.names, ...anyRequest }),
  requestRelease: v.strictObject({
    operation: v.literal('requestRelease'),
    name: field.name,
    leaseId: v.optional(field.fromLeaseId),
    token: v.optional(field.token),
    reason: v.optional(field.reason),
    ...anyRequest,
  }),
  line: v.strictObject({ operation: v.literal('line'), name: field.name, ...anyRequest }),
  joinLine: v.strictObject({
    operation: v.literal('joinLine'),
    name: field.name,
    ticketId: field.ticketId,
    deadline: field.deadline,
    ...anyRequest,
  }),
  leaveLine: v.strictObject({
    operation: v.literal('leaveLine'),
    name: field.name,
    ticketId: field.ticketId,
    ...anyRequest,
  }),
  break: v.strictObject({ operation: v.literal('break'), ...held, ...anyRequest }),
  reopen: v.strictObject({
    operation: v.literal('reopen'),
    name: field.name,
    completedAt: v.optional(field.completedAt),
    ...anyRequest,
  }),
} as const;

/** What the service can be asked for. */
export type Operation = keyof typeof requests;

/** The request of an operation. */
export type RequestOf<Name extends Operation> = v.InferOutput<(typeof requests)[Name]>;

/** Any request. */
export type ServiceRequest = { [Name in Operation]: RequestOf<Name> }[Operation];

/** What the operators' function does besides. */
export const operatorsOnly: ReadonlySet<string> = new Set<Operation>(['break', 'reopen']);
