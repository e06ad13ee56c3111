import { describe, expect, it } from 'vitest';
import { above } from '../../support/above.js';
import { type AnyAnswer, handlerOver, rightRequests } from '../../support/service/in-process.js';
import { until } from '../../support/until.js';
import { useStage } from '../../support/use-stage.js';

/** What stays the same when a request is repeated: all but the time of the answer. */
function lasting({ now, ...answer }: AnyAnswer): AnyAnswer {
  const copy = structuredClone(answer);
  for (const part of [copy.granted, copy.renewed, copy.lock]) delete part?.remainingMs;
  return copy;
}

describe('the same JSON twice, as Lambda’s own retries and a caller’s send it', () => {
  const stage = useStage();

  async function granted(
    handle: (event: unknown) => Promise<AnyAnswer>,
    name: string,
    leaseId = 'lease-id-1',
  ) {
    const { granted } = await handle({ ...rightRequests(name, leaseId).acquire });
    return granted as { token: number; expiresAt: number; leaseId: string };
  }

  it('I1 an acquire is granted once: the same token, and the item is not touched again', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const request = rightRequests(name).acquire;
    const first = await handle(request);
    const item = await stage.it.item(name);
    const again = await Promise.all(Array.from({ length: 5 }, () => handle(request)));
    for (const answer of again) {
      expect(lasting(answer)).toEqual({
        ...lasting(first),
        granted: { ...lasting(first).granted, adopted: true },
      });
    }
    expect(await stage.it.item(name)).toEqual(item);
  });

  it('I1 an acquire that is sent five times at once is granted once', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const request = rightRequests(name).acquire;
    const answers = await Promise.all(Array.from({ length: 5 }, () => handle(request)));
    expect(new Set(answers.map(({ granted }) => granted.token)).size).toBe(1);
    expect(answers.filter(({ granted }) => !granted.adopted)).toHaveLength(1);
  });

  it('I2 an acquire that comes again when its lease has run out is not granted it', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const { token } = await granted(handle, name);
    const held = (await stage.it.item(name))!;
    await stage.it.put({ ...held, name, acquiredAt: 1, expiresAt: 2 });
    const before = await stage.it.item(name);
    const late = await handle(rightRequests(name).acquire);
    expect(late).toMatchObject({ ok: false, error: { name: 'LockLostError', reason: 'expired' } });
    // Not freed either: whoever was answered first may hold it, by a clock that is behind within `skewMs`.
    expect(await stage.it.item(name)).toEqual(before);
    const next = await handle(rightRequests(name, 'lease-id-2').acquire);
    expect(next).toMatchObject({ ok: true, granted: { token: above(token) } });
  });

  it('I2 a supersede names the token that it was shown: one that is late evicts no newer lease of its owner', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const ownerKey = 'a-secret-of-the-owner';
    const { token } = (await handle({ ...rightRequests(name).acquire, ownerKey })).granted;
    const again = { ...rightRequests(name, 'lease-id-2').acquire, ownerKey };
    const refused = await handle(again);
    expect(refused).toMatchObject({ ok: false, error: { holder: { owner: again.owner, token } } });
    const stranger = {
      ...rightRequests(name, 'lease-id-3').acquire,
      owner: 'stranger',
      ownerKey,
      supersedes: token,
    };
    expect(await handle(stranger)).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
    const superseding = { ...again, supersedes: token };
    expect(await handle(superseding)).toMatchObject({ ok: true, granted: { token: above(token) } });
    const before = await stage.it.item(name);
    const late = { ...rightRequests(name, 'lease-id-4').acquire, ownerKey, supersedes: token };
    expect(await handle(late)).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('C09 an acquire that arrives after its own release does not take the lock again', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const { token } = await granted(handle, name);
    await handle({ ...rightRequests(name).release, token });
    const before = await stage.it.item(name);
    const late = await handle(rightRequests(name).acquire);
    expect(late).toMatchObject({ ok: false, error: { name: 'LockLostError', reason: 'broken' } });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('I5 a renewal that arrives again, or late, neither shortens the lease nor winds its checkpoint back', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const { token, expiresAt } = await granted(handle, name);
    const renewal = (ms: number, checkpoint: unknown) => ({
      operation: 'renew',
      name,
      leaseId: 'lease-id-1',
      token,
      expiresAt: expiresAt + ms,
      checkpoint,
    });
    const first = await handle(renewal(1, { page: 1 }));
    expect(first).toMatchObject({ ok: true, renewed: { expiresAt: expiresAt + 1 } });
    expect(lasting(await handle(renewal(1, { page: 1 })))).toEqual(lasting(first));
    await handle(renewal(2, { page: 2 }));
    const before = await stage.it.item(name);
    expect(await handle(renewal(1, { page: 1 }))).toMatchObject({ ok: true });
    expect(await stage.it.item(name)).toEqual(before);
    expect(before).toMatchObject({ checkpoint: { page: 2 }, expiresAt: expiresAt + 2 });
  });

  it('I5 a renewal by a length only ever lengthens', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const { token } = await granted(handle, name);
    const ends: number[] = [];
    for (let i = 0; i < 3; i++) {
      await handle({ ...rightRequests(name).renew, token });
      ends.push((await stage.it.item(name))!.expiresAt!);
    }
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });

  it('I4 a release that arrives again is no error, and changes nothing of the next holder’s lease', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const { token } = await granted(handle, name);
    const release = { ...rightRequests(name).release, token, checkpoint: 'mine' };
    expect(await handle(release)).toMatchObject({ ok: true, released: true });
    expect(await handle(release)).toMatchObject({ ok: true, released: true, already: true });
    await granted(handle, name, 'lease-id-2');
    const before = await stage.it.item(name);
    expect(await handle(release)).toMatchObject({ ok: true, released: true, already: true });
    expect(await stage.it.item(name)).toEqual(before);
  });

  it('D42 a reopening that arrives again takes back no later completion', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor(), { operations: 'operate' });
    const first = await granted(handle, name);
    await handle({ ...rightRequests(name).complete, token: first.token });
    const { lock } = await handle({ operation: 'inspect', name });
    const reopen = { operation: 'reopen', name, completedAt: lock.completedAt };
    expect(await handle(reopen)).toMatchObject({ ok: true, open: true });
    expect(await handle(reopen)).toMatchObject({ ok: true, open: true });
    const { token } = await granted(handle, name, 'lease-id-2');
    // A completion is named by its millisecond.
    await until('another one', async () => {
      const { now } = await handle({ operation: 'inspect', name });
      return now.latest > lock.completedAt + 1;
    });
    await handle({ ...rightRequests(name, 'lease-id-2').complete, token });
    const before = await stage.it.item(name);
    expect(await handle(reopen)).toMatchObject({ ok: true, open: false });
    expect(await stage.it.item(name)).toEqual(before);
    expect(await handle({ operation: 'reopen', name })).toMatchObject({ ok: true, open: true });
  });

  it('I7 a completion that arrives again is no error, and completes nothing that was reopened since', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor(), { operations: 'operate' });
    const { token } = await granted(handle, name);
    const complete = { ...rightRequests(name).complete, token };
    const first = await handle(complete);
    expect(lasting(await handle(complete))).toEqual(lasting(first));
    expect(await handle({ operation: 'reopen', name })).toMatchObject({ ok: true, open: true });
    expect(await handle({ operation: 'reopen', name })).toMatchObject({ ok: true, open: true });
    expect(await handle(complete)).toMatchObject({ ok: false, error: { name: 'LockLostError' } });
    expect(await granted(handle, name, 'lease-id-2')).toMatchObject({ token: above(token) });
    expect(await handle(complete)).toMatchObject({ ok: false, error: { name: 'LockLostError' } });
  });

  it('I4 a break that arrives again breaks nobody else’s lease', async () => {
    const name = stage.name();
    const handle = handlerOver(stage.it.actor(), { operations: 'operate' });
    await granted(handle, name);
    const breaks = rightRequests(name).break;
    expect(await handle(breaks)).toMatchObject({ ok: true, broken: true });
    expect(await handle(breaks)).toMatchObject({ ok: true, broken: true });
    await granted(handle, name, 'lease-id-2');
    const before = await stage.it.item(name);
    // That lease is over, whoever holds now.
    expect(await handle(breaks)).toMatchObject({ ok: true, broken: true });
    expect(await stage.it.item(name)).toEqual(before);
    expect(await stage.it.item(name)).toMatchObject({ leaseId: 'lease-id-2' });
  });

  it('C07 an acquire whose answer the service itself lost is adopted when it is sent again', async () => {
    const name = stage.name();
    const actor = stage.it.actor({ maxAttempts: 1 });
    const handle = handlerOver(actor);
    actor.faults.on('UpdateItem').once().dropAnswer();
    const request = rightRequests(name).acquire;
    const lost = { name: 'StoreError', retryable: true, mayHaveApplied: true };
    expect(await handle(request)).toMatchObject({ ok: false, error: lost });
    expect(await handle(request)).toMatchObject({ ok: true, granted: { adopted: true } });
  });

  it('C09 a refusal says so while an earlier attempt of the acquire is still on its way', async () => {
    const name = stage.name();
    const actor = await stage.it.readyActor();
    const handle = handlerOver(actor);
    await granted(handle, name, 'first-lease');
    actor.faults.on('UpdateItem').once().dropRequest();
    const answer = await handle(rightRequests(name, 'second-lease').acquire);
    expect(answer.error).toMatchObject({ name: 'LockHeldError', mayArriveLate: true });
    const plain = await handle(rightRequests(name, 'third-lease').acquire);
    expect(plain.error).not.toHaveProperty('mayArriveLate');
  });

  it('the store’s failures are answers: whether to try again, and whether it may have been done', async () => {
    const actor = await stage.it.readyActor({ maxAttempts: 1 });
    const handle = handlerOver(actor);
    const request = rightRequests(stage.name()).acquire;
    actor.faults.on('UpdateItem').once().throttle();
    expect((await handle(request)).error).toMatchObject({ retryable: true, mayHaveApplied: false });
    actor.faults.on('UpdateItem').once().serverError();
    expect((await handle(request)).error).toMatchObject({ retryable: true, mayHaveApplied: true });
    actor.faults.on('GetItem').once().serverError();
    const read = await handle({ operation: 'inspect', name: request.name });
    expect(read.error).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: false });
  });

  it('a store that hangs is told of before the invocation’s time is up', async () => {
    const actor = await stage.it.readyActor({ requestTimeoutMs: 1_000, maxAttempts: 2 });
    const handle = handlerOver(actor, {}, 600);
    actor.faults.on('UpdateItem').hang();
    const answer = await handle(rightRequests(stage.name()).acquire);
    expect(answer.error).toMatchObject({ name: 'StoreError', retryable: true, mayHaveApplied: true });
    expect(actor.meter.writes).toBe(1);
  });
});
