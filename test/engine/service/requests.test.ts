import { describe, expect, it } from 'vitest';
import { handlerOver, rightRequests } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

/** What must be refused, and what the refusal must say. */
const refusals: readonly [what: string, request: unknown, says: RegExp][] = [
  ['nothing', null, /^request: must be a JSON object, got null$/],
  ['a list', [], /^request: must be a JSON object/],
  ['text', 'acquire', /^request: must be a JSON object/],
  ['no operation', { name: 'a' }, /^operation: must be one of acquire, .*; got nothing$/],
  ['an unknown operation', { operation: 'steal' }, /^operation: must be one of .*; got "steal"$/],
  ['an inherited operation', { operation: 'constructor' }, /^operation: must be one of/],
  ['an unknown field', { ...rightRequests('a').acquire, wait: 5 }, /^acquire: takes .*; got "wait"$/],
  [
    'an inherited field',
    JSON.parse('{"operation":"reopen","name":"a","constructor":1}'),
    /got "constructor"$/,
  ],
  ['__proto__', JSON.parse('{"operation":"reopen","name":"a","__proto__":1}'), /got "__proto__"$/],
  ['an empty name', { operation: 'reopen', name: '' }, /^name: must be a string of 1 to 1,024 bytes/],
  ['a long name', { operation: 'reopen', name: 'é'.repeat(513) }, /^name: must be/],
  ['a control character', { operation: 'reopen', name: 'a\u0007' }, /^name: must be/],
  ['a lone surrogate', { operation: 'reopen', name: 'a\ud800' }, /^name: must be/],
  [
    'a short lease id',
    { ...rightRequests('a').acquire, leaseId: 'short' },
    /^leaseId: must be.*got "short"$/,
  ],
  ['a lease id with a space', { ...rightRequests('a').acquire, leaseId: 'lease id 1' }, /^leaseId: must be/],
  ['a short lease', { ...rightRequests('a').acquire, leaseMs: 999 }, /^leaseMs: must be.*got 999$/],
  ['a broken lease', { ...rightRequests('a').acquire, leaseMs: 1000.5 }, /^leaseMs: must be/],
  [
    'an endless lease',
    { ...rightRequests('a').acquire, leaseMs: Number.POSITIVE_INFINITY },
    /^leaseMs: must be/,
  ],
  [
    'a lease too long here',
    { ...rightRequests('a').acquire, leaseMs: 900_001 },
    /^leaseMs: must be at most 900000 in/,
  ],
  [
    'no owner',
    { ...rightRequests('a').acquire, owner: undefined },
    /^owner: must be given, unless execution is$/,
  ],
  ['a null owner', { ...rightRequests('a').acquire, owner: null }, /^owner: must be/],
  ['no ARN', { ...rightRequests('a').acquire, execution: 'arn:aws:s3:::b' }, /^execution: must be the ARN/],
  ['no token', { ...rightRequests('a').renew, token: undefined }, /^token: must be/],
  ['a token of text', { ...rightRequests('a').renew, token: '1' }, /^token: must be/],
  ['two ends', { ...rightRequests('a').renew, expiresAt: 1 }, /^renew: takes either expiresAt or leaseMs$/],
  ['no end', { ...rightRequests('a').renew, leaseMs: undefined }, /^renew: takes either/],
  [
    'a checkpoint without its end',
    { ...rightRequests('a').renew, checkpoint: 1 },
    /^expiresAt: must be given/,
  ],
  [
    'two checkpoints',
    { ...rightRequests('a').release, checkpoint: 1, clearCheckpoint: true },
    /^checkpoint: must not/,
  ],
  ['a deep result', { ...rightRequests('a').complete, result: nested(31) }, /^result: must be/],
  ['a bottomless result', { ...rightRequests('a').complete, result: nested(50_000) }, /^result: must be/],
  [
    'D13 a checkpoint that is larger in DynamoDB than as JSON',
    { ...rightRequests('a').release, checkpoint: Array(80_000).fill(1) },
    /^checkpoint: must be/,
  ],
  ['a large result', { ...rightRequests('a').complete, result: 'x'.repeat(180_000) }, /^result: must be/],
  [
    'D12 half a pair of surrogates',
    { ...rightRequests('a').complete, result: { text: '\ud800' } },
    /^result: must be/,
  ],
  [
    'D12 a key that is no Unicode',
    { ...rightRequests('a').release, checkpoint: { '\udc00': 1 } },
    /^checkpoint: must be/,
  ],
  ['a vast number', { ...rightRequests('a').complete, result: [1e200] }, /^result: must be/],
  ['a tiny number', { ...rightRequests('a').complete, result: [1e-200] }, /^result: must be/],
  ['an empty key', { ...rightRequests('a').complete, result: { '': 1 } }, /^result: must be/],
  ['a short retention', { ...rightRequests('a').complete, retainMs: 1 }, /^retainMs: must be/],
  ['too long a list', { operation: 'list', limit: 1_001 }, /^limit: must be/],
  ['throw that is no truth', { ...rightRequests('a').reopen, throw: 'yes' }, /^throw: must be/],
];

/** Brackets in brackets. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

describe('a request', () => {
  const stage = useStage();

  it.each(refusals)('is refused for %s, in words, before anything is sent', async (_what, request, says) => {
    const actor = stage.it.actor();
    const answer = await handlerOver(actor, { operations: 'operate' })(request);
    expect(answer).toMatchObject({ ok: false, error: { name: 'UsageError', code: 'USAGE' } });
    expect(answer.error.message).toMatch(says);
    expect(answer.error.message.length).toBeLessThan(400);
    expect(actor.meter.total).toBe(0);
  });

  it('of every operation that is right is not refused', async () => {
    const handle = handlerOver(stage.it.actor(), { operations: 'operate' });
    const requests = rightRequests(stage.name());
    for (const request of Object.values(requests)) {
      const { error } = await handle(request);
      expect(error?.name, request.operation).not.toBe('UsageError');
    }
  });

  it('for a name outside the deployment’s is not allowed, whatever the operation', async () => {
    const actor = stage.it.actor();
    const handle = handlerOver(actor, { operations: 'operate', names: ['settlement/*', 'nightly'] });
    for (const name of ['settlement', 'settlemen/t', 'nightly/1', 'Nightly', 'other']) {
      for (const request of Object.values(rightRequests(name))) {
        if (!('name' in request)) continue;
        const refusal = { ok: false, error: { name: 'UsageError', code: 'NOT_ALLOWED', lockName: name } };
        expect(await handle(request), request.operation).toMatchObject(refusal);
      }
    }
    expect(actor.meter.total).toBe(0);
    for (const name of ['settlement/1', 'settlement/', 'nightly']) {
      expect(await handle({ ...rightRequests(name).acquire })).toMatchObject({ ok: true });
    }
  });

  it('to break a lock that is free, but not yet, ends that; operators alone are shown by which lease', async () => {
    const actor = await stage.it.readyActor();
    const name = stage.name();
    const lease = await actor.locks.acquire(name, { minHoldMs: 600_000 });
    await lease.release();
    const [callers, operators] = [handlerOver(actor), handlerOver(actor, { operations: 'operate' })];
    const hidden = await callers({ operation: 'inspect', name });
    expect(hidden.lock).toMatchObject({ state: 'free', freeFrom: expect.any(Number) });
    expect(hidden.lock).not.toHaveProperty('leaseId');
    const shown = await operators({ operation: 'inspect', name });
    expect(shown.lock).toMatchObject({ state: 'free', leaseId: lease.leaseId });
    const broken = await operators({ operation: 'break', name, leaseId: shown.lock.leaseId });
    expect(broken).toMatchObject({ ok: true, broken: true });
    await (await actor.locks.acquire(name)).release();
  });

  it('to break or to reopen is not allowed by the callers’ function', async () => {
    const actor = stage.it.actor();
    const handle = handlerOver(actor);
    const { break: breaks, reopen } = rightRequests(stage.name());
    for (const request of [breaks, reopen]) {
      expect(await handle(request)).toMatchObject({ ok: false, error: { code: 'NOT_ALLOWED' } });
    }
    expect(actor.meter.total).toBe(0);
  });

  it('that says throw fails by the error’s name, also when it can’t be read', async () => {
    const handle = handlerOver(stage.it.actor());
    const name = stage.name();
    await handle(rightRequests(name, 'first-lease').acquire);
    const second = rightRequests(name, 'second-lease').acquire;
    await expect(handle({ ...second, throw: true })).rejects.toMatchObject({ name: 'LockHeldError' });
    await expect(handle({ operation: 'nothing', throw: true })).rejects.toMatchObject({ name: 'UsageError' });
    expect(await handle(second)).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
  });
});
