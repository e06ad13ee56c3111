import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../support/engines.js';
import { type AnyAnswer, handlerOver, rightRequests } from '../../support/service/in-process.js';
import { Stage } from '../../support/stage.js';

describe.each(engines)('lists of the service on %s', (engine) => {
  let stage: Stage;
  const lease = (i: number) => `lease-id-${String(i).padStart(3, '0')}`;

  beforeAll(async () => {
    stage = await Stage.open(engine);
    const handle = handlerOver(stage.actor());
    for (let i = 0; i < 30; i++) {
      await handle({ ...rightRequests(`${i % 2 ? 'odd' : 'even'}/é${i}`, lease(i)).acquire, group: 'g' });
    }
    await stage.put({ name: 'odd/foreign', group: 'g', version: 'not ours' });
  });
  afterAll(() => stage?.close());

  async function pages(
    handle: (event: unknown) => Promise<AnyAnswer>,
    request: object,
  ): Promise<AnyAnswer[]> {
    const all: AnyAnswer[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await handle({ operation: 'list', ...request, ...(cursor && { cursor }) });
      expect(page.ok).toBe(true);
      all.push(page);
      cursor = page.cursor;
    }
    return all;
  }

  const parseNames = (page: AnyAnswer) => page.locks.map(({ name }: { name: string }) => name);

  it.each([1, 7, 30, 1_000])(
    'bring every lock once, in pages of %i: of a group, and of the table',
    async (limit) => {
      const handle = handlerOver(stage.actor());
      const wanted = Array.from({ length: 30 }, (_, i) => `${i % 2 ? 'odd' : 'even'}/é${i}`).sort();
      for (const request of [{ group: 'g', limit }, { limit }]) {
        const all = await pages(handle, request);
        expect(all.flatMap(parseNames).sort()).toEqual(wanted);
        for (const page of all.slice(0, -1)) expect(page.locks).toHaveLength(limit);
      }
    },
  );

  it('bring only the names of the deployment, and show no cursor beside them', async () => {
    const handle = handlerOver(stage.actor(), { names: ['odd/*'] });
    for (const request of [{ group: 'g', limit: 4 }, { limit: 4 }]) {
      const all = await pages(handle, request);
      const names = all.flatMap(parseNames);
      expect(names).toHaveLength(15);
      expect(JSON.stringify(all)).not.toContain('even/');
    }
  });

  it('show lease ids to operators only', async () => {
    const asCaller = JSON.stringify(await pages(handlerOver(stage.actor()), { group: 'g' }));
    const asOperator = JSON.stringify(
      await pages(handlerOver(stage.actor(), { operations: 'operate' }), { group: 'g' }),
    );
    for (let i = 0; i < 30; i++) {
      expect(asCaller).not.toContain(lease(i));
      expect(asOperator).toContain(lease(i));
    }
  });

  it('end a page before Lambda’s answer is too large, and go on with the next', async () => {
    const handle = handlerOver(stage.actor());
    const checkpoint = 'x'.repeat(150_000);
    for (let i = 0; i < 30; i++) {
      const name = `large/${i}`;
      const { granted } = await handle({ ...rightRequests(name, lease(i)).acquire, group: 'large' });
      await handle({ ...rightRequests(name, lease(i)).release, token: granted.token, checkpoint });
    }
    const all = await pages(handle, { group: 'large', limit: 1_000 });
    expect(all.length).toBeGreaterThan(1);
    expect(all.flatMap(parseNames)).toHaveLength(30);
    for (const page of all) expect(JSON.stringify(page).length).toBeLessThan(5_000_000);
  });

  it('show what only a client with a table can store, as JSON', async () => {
    const name = 'odd-values';
    const { locks } = stage.actor();
    await using held = await locks.acquire(name);
    await held.save({ big: 2n ** 60n, set: new Set(['a']), bytes: new Uint8Array([1, 2]), none: undefined });
    const { lock } = await handlerOver(stage.actor())({ operation: 'inspect', name });
    expect(lock.checkpoint).toEqual({ big: '1152921504606846976', set: ['a'], bytes: 'AQI=' });
  });
});
