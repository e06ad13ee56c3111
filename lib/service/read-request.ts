import * as v from 'valibot';
import { quoted, UsageError } from '../errors/index.js';
import { type Operation, requests, type ServiceRequest } from './requests.js';

/**
 * A request from outside, checked field by field.
 *
 * @throws UsageError that names the field, what it must be, and what came
 */
export function readRequest(input: unknown): ServiceRequest {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new UsageError(`request: must be a JSON object, got ${quoted(input)}`);
  }
  const fields = input as Readonly<Record<string, unknown>>;
  const operation = ownField(fields, 'operation');
  if (typeof operation !== 'string' || !Object.hasOwn(requests, operation)) {
    throw new UsageError(
      `operation: must be one of ${Object.keys(requests).join(', ')}; got ${quoted(operation)}`,
    );
  }
  const schema = requests[operation as Operation];
  // Before the schema looks: to it, what every object inherits ("constructor") counts as known.
  const unknown = Object.keys(fields).find((key) => !Object.hasOwn(schema.entries, key));
  if (unknown !== undefined) {
    const known = Object.keys(schema.entries).join(', ');
    throw new UsageError(`${operation}: takes ${known}; got ${quoted(unknown)}`, readName(fields));
  }
  const read = v.safeParse(schema, fields, { abortEarly: true });
  if (!read.success) throw wrongField(schema, read.issues[0], fields);
  checkOneOf(read.output as ServiceRequest);
  return read.output as ServiceRequest;
}

function wrongField(
  schema: (typeof requests)[Operation],
  issue: v.BaseIssue<unknown>,
  fields: Readonly<Record<string, unknown>>,
): UsageError {
  const key = String(issue.path?.[0]?.key);
  const entry = (
    schema.entries as Record<string, v.GenericSchema | v.OptionalSchema<v.GenericSchema, undefined>>
  )[key]!;
  const field = 'wrapped' in entry ? entry.wrapped : entry;
  const must = v.getDescription(field) ?? issue.message;
  return new UsageError(`${key}: must be ${must}; got ${quoted(ownField(fields, key))}`, readName(fields));
}

/** What no single field can say. */
function checkOneOf(request: ServiceRequest): void {
  const wrong = (what: string) => new UsageError(what, 'name' in request ? request.name : undefined);
  if (request.operation === 'acquire' && request.owner === undefined && request.execution === undefined) {
    throw wrong('owner: must be given, unless execution is');
  }
  // Owner and token are shown to everybody who finds the lock held.
  if (request.operation === 'acquire' && request.supersedes !== undefined && request.ownerKey === undefined) {
    throw wrong('ownerKey: must be given with supersedes, the same that the earlier lease was acquired with');
  }
  if (
    request.operation === 'requestRelease' &&
    request.leaseId === undefined &&
    request.token === undefined
  ) {
    throw wrong('token: must be given, or leaseId: which lease was seen');
  }
  if (request.operation !== 'renew' && request.operation !== 'release') return;
  const writes = request.checkpoint !== undefined || request.clearCheckpoint !== undefined;
  if (request.checkpoint !== undefined && request.clearCheckpoint !== undefined) {
    throw wrong('checkpoint: must not come together with clearCheckpoint');
  }
  if (request.operation !== 'renew') return;
  if ((request.expiresAt === undefined) === (request.leaseMs === undefined)) {
    throw wrong('renew: takes either expiresAt or leaseMs');
  }
  // A duplicate that arrives late would ask for a later end than all before it, and wind the checkpoint back (I5).
  if (writes && request.expiresAt === undefined) {
    throw wrong('expiresAt: must be given with a checkpoint, instead of leaseMs');
  }
}

function ownField(fields: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function readName(fields: Readonly<Record<string, unknown>>): string | undefined {
  const name = ownField(fields, 'name');
  return v.is(requests.inspect.entries.name, name) ? name : undefined;
}
