import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreClock } from '../../../lib/clock/store-clock.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { compareKeys, type Processor, type SliceItem } from '../../../lib/scan/index.js';
import { dynamoTable, type ItemTable } from '../../../lib/table/index.js';
import { checkProperty } from '../../support/property.js';
import { inByteOrder, type ListedKeys, listedKeys } from '../../support/scan/listed-keys.js';
import { type Scene, Stage, table as tableName } from '../../support/scan/stage.js';
import { cutInside, split } from '../../support/scan/thief.js';
import { bySize } from '../../support/size.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const keys = inByteOrder([
  ...Array.from({ length: 36 }, (_, index) => `k/${String(index).padStart(2, '0')}`),
  ...['k/\u{1f600}a', 'k/\u{1f600}b', 'k/\uffee', 'k/\u{10000}'],
]);

/** What the invariants are checked on while a run goes on. */
class Watch {
  readonly #scene: Scene;
  readonly #last = new Map<string, SliceItem>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async look(): Promise<readonly SliceItem[]> {
    const { slices } = await this.#scene.read();
    for (const slice of slices) {
      const before = this.#last.get(slice.name);
      for (const attribute of ['cursor', 'claimed'] as const) {
        if (before?.[attribute] === undefined) continue;
        expect(compareKeys(slice[attribute]!, before[attribute])).toBeGreaterThanOrEqual(0);
      }
      // `hi` only falls, and never to or below what is claimed.
      if (before?.hi !== undefined) expect(compareKeys(slice.hi!, before.hi)).toBeLessThanOrEqual(0);
      if (slice.hi !== undefined && slice.claimed !== undefined) {
        expect(compareKeys(slice.claimed, slice.hi)).toBeLessThanOrEqual(0);
      }
      this.#last.set(slice.name, slice);
    }
    return slices;
  }
}

describe('a lowered hi', () => {
  it('is obeyed at every moment: each key is handed out by one slice, and the slices tile', async () => {
    await checkProperty(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.tuple(fc.nat(20), fc.double({ min: 0, max: 0.999, noNaN: true })), {
          minLength: 1,
          maxLength: 8,
        }),
        async (pageSize, thefts) => {
          await using scene = await stage.scene(keys);
          await scene.plan({ prefix: 'k/', slices: 2, pageSize: Math.max(pageSize, 4) });
          const thief = scene.client();
          const watch = new Watch(scene);
          let moment = 0;
          let splits = 0;
          // The moments: while a page is listed, and while one is worked on, by either of two seats.
          const steal = async () => {
            const now = moment++;
            for (const [when, where] of thefts) {
              if (when !== now) continue;
              const open = (await watch.look()).filter(({ completedAt }) => completedAt === undefined);
              const victim = open[Math.floor(where * open.length)];
              const cut = victim && cutInside(victim, keys, where);
              if (!victim || cut === undefined) continue;
              const id = await split(thief.context, victim, cut);
              if (id !== undefined) splits += 1;
            }
          };
          scene.faults = async ({ operation }) => {
            if (operation === 'list') await steal();
            return 'ok' as const;
          };
          const processor = stolenFrom(steal);
          await Promise.all([0, 1].map((seat) => scene.work({ seat, processor, locks: scene.client() })));
          while ((await scene.verify()).status === 'more') await scene.work();
          await watch.look();
          const verdict = await scene.verify();
          expect(verdict).toMatchObject({
            status: 'complete',
            report: { tiles: true, objects: keys.length },
          });
          expect(verdict.report.slices).toBeGreaterThanOrEqual(1 + splits);
          expect(await scene.keys()).toEqual(keys);
        },
      ),
      { cases: bySize({ short: 5, long: 25 }) },
    );
  }, 120_000);

  it('is obeyed at the completion: the child is made before the parent is done', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 100 });
    // Split behind all keys while the last page is worked on: no claim follows, only the completion.
    const processor = stolenFrom(async () => {
      const [slice] = (await scene.read()).slices;
      if (slice && slice.hi === undefined) await split(scene.locks.context, slice, 'k/\u{10fff0}');
    });
    expect(await scene.work({ processor })).toMatchObject({ status: 'done', slices: 2 });
    const { slices } = await scene.read();
    expect(slices).toMatchObject([{ hi: 'k/\u{10fff0}' }, { lo: 'k/\u{10fff0}' }]);
    expect(slices[0]!.child).toBeUndefined();
    expect(slices[1]!.version).toBeGreaterThan(slices[0]!.version);
    expect(await scene.keys()).toEqual(keys);
  });

  it('a child that is pending at the completion is made first, even if hi is as known', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 100 });
    const { table } = scene.locks.context;
    const name = `scan/${scene.run}/000000`;
    await split(scene.locks.context, (await scene.read()).slices[0]!, 'k/20');
    const { child } = (await table.get(name))!;
    // A note that comes back while the page is worked on, as after a restore of the table.
    const processor = stolenFrom(async () => {
      const condition = { text: 'attribute_exists(#leaseId)' };
      await table.update(name, { set: { child }, condition }).catch(() => {});
    });
    await scene.work({ processor });
    expect((await table.get(name))!.child).toBeUndefined();
    expect(await scene.keys()).toEqual(keys);
  });

  it('a pending child is made real by whoever sees it: the next holder, a waiting seat, or verify', async () => {
    for (const who of ['seat', 'verify'] as const) {
      await using scene = await stage.scene(keys);
      await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10 });
      const [slice] = (await scene.read()).slices;
      // The thief died between the two writes.
      const id = await split(scene.locks.context, slice!, 'k/20');
      expect((await scene.read()).gaps).toMatchObject([{ lo: 'k/20', reason: 'missing' }]);
      if (who === 'verify') {
        expect(await scene.verify()).toMatchObject({ status: 'more' });
        expect((await scene.read()).gaps).toEqual([]);
      }
      await scene.work();
      expect(await scene.keys()).toEqual(keys);
      expect((await scene.read()).slices[1]!.name).toBe(`scan/${scene.run}/${id}`);
    }
  });

  it('children and theirs are found by a seat although the index lags for ever', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10 });
    const read = async (index: number) => (await scene.read()).slices[index]!;
    // Made by verify, as after the crash of a thief: no parent carries a note any more.
    for (const [index, cut] of [
      [0, 'k/20'],
      [1, 'k/30'],
      [0, 'k/10'],
      [2, 'k/25'],
    ] as const) {
      expect(await split(scene.locks.context, await read(index), cut)).toBeDefined();
      await scene.verify();
    }
    const { client } = stage.metered;
    const table = (clock: StoreClock) =>
      blind(dynamoTable({ client, tableName, clock, runtime: systemRuntime, callTimeoutMs: 3_000 }));
    const locks = scene.client({ table });
    expect(await scene.work({ locks })).toMatchObject({ status: 'done', slices: 5 });
    // No further round is needed to find them.
    expect(await scene.verify({ maxRounds: 1 })).toMatchObject({ status: 'complete' });
    expect(await scene.keys()).toEqual(keys);
  });

  it('an older note of a child does not wipe out a newer one', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1 });
    const read = async () => (await scene.read()).slices[0]!;
    await split(scene.locks.context, await read(), 'k/20');
    const late = await read();
    await scene.verify();
    await split(scene.locks.context, await read(), 'k/10');
    // A helper that saw the first split, and comes to it only now.
    const { materialiseChild } = await import('../../../lib/scan/slices/slice-creation.js');
    await materialiseChild(scene.locks.context, scene.run, late as typeof late & { child: never });
    expect((await read()).child).toMatchObject({ lo: 'k/10', hi: 'k/20' });
    await scene.work();
    expect(await scene.keys()).toEqual(keys);
  });

  it('a slice that TTL removed since it was read is not split: no new item comes up', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1 });
    const [slice] = (await scene.read()).slices;
    const { name } = slice!;
    await stage.metered.client.send(
      new DeleteItemCommand({ TableName: tableName, Key: { name: { S: name } } }),
    );
    expect(await split(scene.locks.context, slice!, 'k/20')).toBeUndefined();
    expect(await scene.locks.context.table.get(name)).toBeUndefined();
  });

  it('what is claimed, moved, split or completed since it was read is not split', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10 });
    const { context } = scene.locks;
    const read = async () => (await scene.read()).slices[0]!;
    const early = await read();
    const refused: unknown[] = [];
    const processor = stolenFrom(async () => {
      if (refused.length > 0) return;
      // The first page is claimed up to k/09.
      refused.push(await split(context, early, 'k/05'));
      await split(context, early, 'k/30');
      const pending = await read();
      refused.push(await split(context, pending, 'k/20'));
      await scene.verify();
      refused.push(await split(context, pending, 'k/20x').then((id) => id && 'split'));
      await scene.verify();
      refused.push(await split(context, early, 'k/15'));
    });
    await scene.work({ processor });
    expect(refused).toEqual([undefined, undefined, 'split', undefined]);
    // Completed, with something left between what was claimed and the end.
    expect(await read()).toMatchObject({ claimed: 'k/20', hi: 'k/20x' });
    expect(await split(context, await read(), 'k/20m')).toBeUndefined();
    expect(await scene.keys()).toEqual(keys);
  });

  it('a child that gets lost shows up as a gap and fails the run', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1 });
    await split(scene.locks.context, (await scene.read()).slices[0]!, 'k/20');
    const name = `scan/${scene.run}/000000`;
    await scene.locks.context.table.update(name, {
      set: { splitProgress: 0 },
      remove: ['child'],
      condition: { text: 'attribute_exists(#child)' },
    });
    await scene.work();
    expect(await scene.verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('no slice covers ("k/20", open]'),
      report: { tiles: false, unfinished: 0 },
    });
  });
});

/** A table whose index shows nothing. */
function blind(table: ItemTable): ItemTable {
  return { ...table, async *namesInGroup() {} };
}

function stolenFrom(steal: () => Promise<void>): Processor<ListedKeys> {
  return {
    ...listedKeys(),
    async process(page, context) {
      await steal();
      return listedKeys().process(page, context);
    },
  };
}
