import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineName } from '../../../lib/kit/line-store.js';
import { checkProperty } from '../../support/property.js';
import { type AnyAnswer, handlerOver, rightRequests } from '../../support/service/in-process.js';
import { ServiceStage } from '../../support/service/service-stage.js';
import { useStage } from '../../support/use-stage.js';

const victim = 'victim/lock';

/** JSON of any shape, as deep and as odd as a caller may send it. */
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  fc.integer({ min: 1, max: 3_000 }).map((levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))),
  fc.constantFrom<unknown>(
    -0,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1e308,
    5e-324,
    2 ** 53,
    -1,
    0.5,
    '',
    '\u0000',
    '\ud800',
    '__proto__',
  ),
);

const operations = Object.values(rightRequests(victim));
const fieldNames = [...new Set(operations.flatMap((request) => Object.keys(request)))];

/** A field that every operation must have, and that is missing or of another kind. */
const wrongField = fc
  .record({
    request: fc.constantFrom(...operations),
    kind: fc.constantFrom('missing', 'wrong', 'unknown'),
    value: anyJson,
    name: fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom(
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        'Name',
        'lease_id',
        'wait',
        ' name',
      ),
    ),
    index: fc.nat(),
  })
  .map(({ request, kind, value, name, index }) => {
    const fields = Object.keys(request);
    const field = fields[index % fields.length]!;
    const copy: Record<string, unknown> = Object.assign(Object.create(null), request);
    if (kind === 'missing') {
      // A list needs no group.
      delete copy[['group', 'result', 'token', 'reason'].includes(field) ? 'operation' : field];
    } else if (kind === 'unknown') {
      copy[fieldNames.includes(name) || optionals.has(name) ? 'unheardOf' : name] = value;
    } else if (field === 'result') copy.retainMs = 'long';
    // Of a type that no field of that name has.
    else copy[field] = typeof request[field as keyof typeof request] === 'number' ? [value] : { value };
    return JSON.parse(JSON.stringify({ ...copy })) as unknown;
  });

const optionals = new Set([
  'throw',
  'execution',
  'supersedes',
  'ownerKey',
  'expiresAt',
  'checkpoint',
  'clearCheckpoint',
  'retainMs',
  'limit',
  'cursor',
]);

/** What pretends to come by a function's URL, or from EventBridge. */
const forged = fc.oneof(
  fc.record({
    requestContext: fc.record({ http: fc.record({ method: fc.constantFrom('GET', 'PUT', 'DELETE', '') }) }),
    body: fc.oneof(anyJson, fc.constantFrom(...operations.map((request) => JSON.stringify(request)))),
  }),
  fc.record({
    requestContext: fc.record({ http: fc.record({ method: fc.constant('POST') }) }),
    body: fc.oneof(
      anyJson,
      wrongField.map((request) => JSON.stringify(request)),
    ),
    isBase64Encoded: fc.oneof(fc.boolean(), anyJson),
  }),
  fc.record({
    source: fc.constant('aws.states'),
    detail: fc.oneof(anyJson, fc.record({ executionArn: anyJson })),
  }),
);

const hostile = fc.oneof(
  { weight: 3, arbitrary: wrongField },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: forged },
);

/** A stranger's request that is right in form: whether it may do something is for the conditions to say. */
const stranger = fc.record({
  request: fc.constantFrom(
    ...operations.filter(({ operation }) => operation !== 'break' && operation !== 'reopen'),
  ),
  leaseId: fc.stringMatching(/^[!-~]{8,64}$/),
  token: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  supersedes: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  ownerKey: fc.stringMatching(/^[!-~]{16,128}$/),
});

/** A client's error, however it came. */
function findRefusal(answer: AnyAnswer): AnyAnswer {
  if (answer?.statusCode === undefined) return answer;
  expect([400, 403, 405]).toContain(answer.statusCode);
  return JSON.parse(answer.body);
}

describe('malformed and hostile requests', () => {
  const stage = useStage();

  it('by the thousand, in the long form by the hundred thousand: a typed client error each, nothing written, nothing changed', async () => {
    const actor = await stage.it.readyActor();
    const handle = handlerOver(actor);
    await using _lease = await stage.it.actor().locks.acquire(victim, { leaseMs: 600_000 });
    const before = await stage.it.everything();
    await checkProperty(
      fc.asyncProperty(hostile, async (event) => {
        const { ok, error } = findRefusal(await handle(event));
        expect(ok).toBe(false);
        expect(error.name).toBe('UsageError');
        expect(error.message).not.toBe('');
      }),
      { cases: 100_000 },
    );
    expect(actor.meter.total).toBe(0);
    expect(await stage.it.everything()).toEqual(before);
  }, 600_000);

  it('I4 of a stranger, right in form: never a change, never a lease id', async () => {
    const actor = await stage.it.readyActor();
    const handle = handlerOver(actor);
    const owner = 'somebody';
    await using lease = await stage.it.actor().locks.acquire(victim, { leaseMs: 600_000, owner });
    const before = await stage.it.everything();
    await checkProperty(
      fc.asyncProperty(stranger, async ({ request, leaseId, token, supersedes, ownerKey }) => {
        fc.pre(leaseId !== lease.leaseId);
        const event: Record<string, unknown> = { ...request };
        if ('leaseId' in request) event.leaseId = leaseId;
        if ('token' in request) event.token = token;
        if (request.operation === 'acquire') Object.assign(event, { owner, supersedes, ownerKey });
        const answer = await handle(event);
        expect(JSON.stringify(answer)).not.toContain(lease.leaseId);
      }),
      { cases: 3_000 },
    );
    // To wait in line is everybody's right: a line changes no lock.
    const after = (await stage.it.everything()).filter(({ name }) => name !== lineName(victim));
    expect(after).toEqual(before);
  }, 120_000);
});

describe('malformed and hostile requests to the bundled service', () => {
  let service: ServiceStage;
  beforeAll(async () => {
    service = await ServiceStage.open();
  });
  afterAll(() => service?.[Symbol.asyncDispose]());

  it('a typed client error each, and the process that answers lives on', async () => {
    await using lease = await service.client().acquire(victim);
    const pids = () => service.lambda.environments().map(({ pid }) => pid);
    const before = pids();
    await checkProperty(
      fc.asyncProperty(hostile, async (event) => {
        const { ok, error } = findRefusal(await service.ask(event));
        expect({ ok, name: error.name }).toEqual({ ok: false, name: 'UsageError' });
      }),
      { cases: 3_000 },
    );
    // One more may have been started for a heartbeat in between.
    expect(pids()).toEqual(expect.arrayContaining(before));
    expect(lease.isHeld).toBe(true);
    await lease.renew();
  }, 300_000);
});
