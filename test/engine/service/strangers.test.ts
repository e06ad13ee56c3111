import { describe, expect, it } from 'vitest';
import { type AnyAnswer, handlerOver } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

type Handle = (event: unknown) => Promise<AnyAnswer>;

const ownerKey = 'a-secret-of-the-owner-of-a';

/**
 * What any answer tells somebody about A's lease: he tries for the lock, asks for it, lists it, and sends whatever else has
 * an answer. He takes each value for whatever field it may fit.
 */
async function everythingShown(handle: Handle, name: string, group: string) {
  const own = { leaseId: 'lease-id-of-b', leaseMs: 30_000, owner: 'b' };
  const answers = [
    await handle({ operation: 'acquire', name, ...own }),
    await handle({ operation: 'inspect', name }),
    await handle({ operation: 'inspect', name, leaseId: own.leaseId }),
    await handle({ operation: 'list', group }),
    await handle({ operation: 'list', limit: 1_000 }),
    await handle({ operation: 'release', name, leaseId: own.leaseId }),
    await handle({ operation: 'renew', name, leaseId: own.leaseId, token: 1, leaseMs: 30_000 }),
    await handle({ operation: 'break', name, leaseId: own.leaseId }),
    await handle({ operation: 'reopen', name }),
  ];
  // The holder as it is shown; the others tell of no other numbers but the time.
  const numbers = [...new Set(numbersIn([answers[0].error.holder, answers[1].lock]))];
  return { answers, texts: [...new Set(textsIn(answers))], numbers };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...(value.match(/[!-~]{8,64}/g) ?? [])];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('caller B with everything that any answer shows him, and A’s lease', () => {
  const stage = useStage();

  async function heldByA(more: object = {}) {
    const handle = handlerOver(stage.it.actor());
    const [name, group] = [stage.name(), `group-of-${stage.name()}`];
    const request = {
      operation: 'acquire',
      name,
      leaseId: 'lease-id-of-a',
      leaseMs: 600_000,
      owner: 'a',
      group,
    };
    const { granted } = await handle({ ...request, ownerKey, ...more });
    expect(granted).toMatchObject({ name, leaseId: 'lease-id-of-a' });
    return { handle, name, group, token: granted.token as number };
  }

  /** A token, an id, an owner, a key: all that he could fill in. */
  function attacks(name: string, { texts, numbers }: Awaited<ReturnType<typeof everythingShown>>) {
    const ids = texts.filter((text) => /^[!-~]{8,64}$/.test(text));
    const keys = [
      ...texts.filter((text) => /^[!-~]{16,128}$/.test(text)),
      'a-secret-of-somebody-else',
      undefined,
    ];
    const owners = ['a', ...ids.slice(0, 2)];
    const tokens = numbers.filter((number) => Number.isSafeInteger(number) && number >= 1);
    const fresh = { name, leaseId: 'new-lease-of-b', leaseMs: 30_000 };
    const ofHolders = [...ids, 'lease-id-of-b'].flatMap((leaseId) =>
      tokens.flatMap((token) => [
        { operation: 'renew', name, leaseId, token, leaseMs: 30_000 },
        {
          operation: 'renew',
          name,
          leaseId,
          token,
          expiresAt: Date.now() + 800_000,
          checkpoint: 'b was here',
        },
        { operation: 'release', name, leaseId, token },
        { operation: 'release', name, leaseId, clearCheckpoint: true },
        { operation: 'complete', name, leaseId, token, result: 'b was here' },
        { operation: 'break', name, leaseId },
        { operation: 'resume', ...fresh, owner: 'a', fromLeaseId: leaseId, fromToken: token },
      ]),
    );
    const superseding = owners.flatMap((owner) =>
      tokens.flatMap((supersedes) =>
        keys.map((key) => ({
          operation: 'acquire',
          ...fresh,
          owner,
          supersedes,
          ...(key && { ownerKey: key }),
        })),
      ),
    );
    const adopting = ids.map((leaseId) => ({ operation: 'acquire', ...fresh, leaseId, owner: 'a' }));
    return { ofHolders, superseding, adopting, reopening: [{ operation: 'reopen', name }] };
  }

  it.each(['ofHolders', 'superseding', 'adopting', 'reopening'] as const)(
    'D39 %s: nothing of it changes the lease, and nobody is granted anything',
    async (kind) => {
      const { handle, name, group } = await heldByA();
      const shown = await everythingShown(handle, name, group);
      expect(shown.texts).toContain('a');
      const before = await stage.it.item(name);
      const requests = attacks(name, shown)[kind];
      expect(requests.length).toBeGreaterThan(0);
      for (const request of requests) {
        const answer = await handle(request);
        expect(answer.granted ?? answer.renewed ?? answer.completed, JSON.stringify(request)).toBeUndefined();
        expect(answer.released ?? false, JSON.stringify(request)).toBe(false);
      }
      expect(await stage.it.item(name)).toEqual(before);
    },
    120_000,
  );

  it('D39 neither the key, nor its hash, nor the lease’s id is in any answer', async () => {
    const { handle, name, group } = await heldByA();
    const { ownerProof } = (await stage.it.item(name))!;
    expect(ownerProof).toMatch(/^[\w-]{43}$/);
    const { answers } = await everythingShown(handle, name, group);
    const said = JSON.stringify(answers);
    for (const secret of [ownerKey, ownerProof as string, 'lease-id-of-a'])
      expect(said).not.toContain(secret);
  });

  it('D39 the operators’ function shows lease ids to break by, and no proof: it supersedes nothing without the key', async () => {
    const { name, group, token } = await heldByA();
    const operate = handlerOver(stage.it.actor(), { operations: 'operate' });
    const shown = await operate({ operation: 'list', group });
    expect(JSON.stringify(shown)).not.toContain('ownerProof');
    const request = { operation: 'acquire', name, leaseId: 'new-lease-of-b', leaseMs: 30_000, owner: 'a' };
    const superseding = { ...request, supersedes: token, ownerKey: 'a-secret-of-somebody-else' };
    expect(await operate(superseding)).toMatchObject({ ok: false, error: { name: 'LockHeldError' } });
  });

  it('D39 A itself supersedes by its key, and the key of that lease counts from then on', async () => {
    const { handle, name, token } = await heldByA();
    const next = { operation: 'acquire', name, leaseId: 'lease-id-of-a2', leaseMs: 600_000, owner: 'a' };
    const { granted } = await handle({ ...next, ownerKey, supersedes: token });
    expect(granted.token).toBeGreaterThan(token);
    const third = { ...next, leaseId: 'lease-id-of-a3', supersedes: granted.token };
    expect(await handle({ ...third, ownerKey: `${ownerKey}x` })).toMatchObject({
      error: { name: 'LockHeldError' },
    });
    expect(await handle({ ...third, ownerKey })).toMatchObject({ ok: true });
  });

  it('D39 a lease that was acquired without a key, or from the table, is superseded by nobody', async () => {
    const { handle, name, token } = await heldByA({ ownerKey: undefined });
    const next = { operation: 'acquire', name, leaseId: 'lease-id-of-a2', leaseMs: 600_000, owner: 'a' };
    expect(await handle({ ...next, ownerKey, supersedes: token })).toMatchObject({
      error: { name: 'LockHeldError' },
    });
    const [other, client] = [stage.name(), stage.it.actor().locks];
    await using lease = await client.acquire(other, { owner: 'a' });
    const late = { ...next, name: other, ownerKey, supersedes: lease.token };
    expect(await handle(late)).toMatchObject({ error: { name: 'LockHeldError' } });
  });

  it('D39 the proof of a lease that is over is none for the next one', async () => {
    const { handle, name } = await heldByA();
    await stage.it.expire(name);
    await using lease = await stage.it.actor().locks.acquire(name, { owner: 'a' });
    expect(await stage.it.item(name)).toHaveProperty('ownerProof');
    const late = {
      operation: 'acquire',
      name,
      leaseId: 'lease-id-of-a2',
      leaseMs: 600_000,
      owner: 'a',
      ownerKey,
    };
    expect(await handle({ ...late, supersedes: lease.token })).toMatchObject({
      error: { name: 'LockHeldError' },
    });
  });

  it('D39 superseding without a key is refused in plain words', async () => {
    const { handle, name, token } = await heldByA();
    const next = { operation: 'acquire', name, leaseId: 'lease-id-of-a2', leaseMs: 600_000, owner: 'a' };
    expect(await handle({ ...next, supersedes: token })).toMatchObject({
      error: {
        name: 'UsageError',
        message: expect.stringMatching(/^ownerKey: must be given with supersedes/),
      },
    });
  });
});

describe('D45 groups through a service that is limited', () => {
  const stage = useStage();
  const acquire = (name: string, group: string) => ({
    ...{ operation: 'acquire', name, leaseId: 'lease-id-1', leaseMs: 30_000, owner: 'w', group },
  });

  it.each([
    ['to names', { names: ['lock-*'] }, 'lock-group', 'scan/nightly'],
    ['to groups', { groups: ['night/*', 'exactly'] }, 'night/1', 'scan/nightly'],
    ['to names, and to groups', { names: ['lock-*'], groups: ['exactly'] }, 'exactly', 'lock-group'],
  ])('%s: a lock gets into no other, such as that of a scan’s slices', async (_, limits, right, wrong) => {
    const handle = handlerOver(stage.it.actor(), limits);
    const name = stage.name();
    expect(await handle(acquire(name, wrong))).toMatchObject({
      ok: false,
      error: { name: 'UsageError', code: 'NOT_ALLOWED', message: expect.stringContaining(wrong) },
    });
    expect(await stage.it.item(name)).toBeUndefined();
    expect(await handle(acquire(name, right))).toMatchObject({ ok: true });
  });

  it('the groups of executions are the service’s own, whatever it is deployed for', async () => {
    const handle = handlerOver(stage.it.actor());
    const group = 'execution/arn:aws:states:eu-central-1:123456789012:execution:settle:x';
    expect(await handle(acquire(stage.name(), group))).toMatchObject({ error: { code: 'NOT_ALLOWED' } });
  });
});
