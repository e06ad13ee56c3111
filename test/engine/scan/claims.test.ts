import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../lib/runtime/index.js';
import type { Processor } from '../../../lib/scan/index.js';
import { inByteOrder, type ListedKeys, listedKeys } from '../../support/scan/listed-keys.js';
import { onScan } from '../../support/scan/scan-events.js';
import { type Scene, Stage, table } from '../../support/scan/stage.js';
import { split } from '../../support/scan/thief.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const keys = Array.from({ length: 40 }, (_, index) => `k/${String(index).padStart(3, '0')}`);

/** A listed-keys processor that does something before each page. */
function beforeEachPage(act: (keys: readonly string[]) => Promise<void> | void): Processor<ListedKeys> {
  const processor = listedKeys();
  return {
    ...processor,
    async process(page, context) {
      await act(page.objects.map(({ key }) => key));
      return processor.process(page, context);
    },
  };
}

async function onlySlice(scene: Scene) {
  const { slices } = await scene.read();
  expect(slices).toHaveLength(1);
  return slices[0]!;
}

describe('claim before acting', () => {
  it('the store has claimed, cursor and progress of a page before the processor sees it', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    const seen: unknown[] = [];
    const processor = beforeEachPage(async (page) => {
      const { claimed, cursor, progress, attempts } = await onlySlice(scene);
      expect(claimed).toBe(page.at(-1));
      seen.push([cursor, progress, attempts]);
    });
    await scene.work({ processor });
    // Attempts fall to 0 with the first page that is done, not with the first that is claimed.
    expect(seen).toEqual([
      [undefined, 1, 1],
      ['k/009', 2, 0],
      ['k/019', 3, 0],
      ['k/029', 4, 0],
    ]);
  });

  it('nothing is handed out that a thief has taken while it was listed', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    const handedOut: string[] = [];
    let stolen = false;
    // The thief comes while the first page is worked on, and the second one is listed already.
    const processor = beforeEachPage(async (page) => {
      handedOut.push(...page);
      if (stolen) return;
      stolen = true;
      expect(await split(scene.locks.context, await onlySlice(scene), 'k/014')).toBeDefined();
    });
    await scene.work({ processor });
    const { slices } = await scene.read();
    const [parent, child] = slices;
    expect(parent).toMatchObject({ hi: 'k/014', cursor: 'k/014', claimed: 'k/014' });
    expect(child).toMatchObject({ lo: 'k/014', cursor: 'k/039' });
    expect(handedOut).toEqual(keys);
    expect(await scene.keys()).toEqual(keys);
  });

  it('the event of the claim comes before the processor, with nothing in between', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    const order: string[] = [];
    using _claimed = onScan('scan-page-claimed', scene.run, (event) => {
      order.push(`claimed ${event.pages} ${event.objects}`);
      expect(event.lease.isHeld).toBe(true);
      queueMicrotask(() => order.push('microtask'));
    });
    using _page = onScan('scan-page-done', scene.run, (event) => order.push(`done ${event.totalObjects}`));
    await scene.work({ processor: beforeEachPage(() => void order.push('process')) });
    expect(order.filter((entry) => entry !== 'microtask')).toEqual([
      ...['claimed 1 10', 'process', 'done 10', 'claimed 2 10', 'process', 'done 20'],
      ...['claimed 3 10', 'process', 'done 30', 'claimed 4 10', 'process', 'done 40'],
    ]);
    expect(order.slice(0, 2)).toEqual(['claimed 1 10', 'process']);
  });

  it('stops at once when the lease has moved: the second page is never handed out', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    const handedOut: string[] = [];
    const other = scene.client();
    const processor = beforeEachPage(async (page) => {
      handedOut.push(...page);
      const { name, leaseId } = await onlySlice(scene);
      if (handedOut.length > 10) return;
      await other.break(name, leaseId!);
      // Somebody else has it now, and keeps it until the seat has seen that.
      await using lease = await other.acquire(name);
      expect(lease.token).toBeGreaterThan(0);
      await scene.locks.inspect(name);
      await lease.release({ set: { attempts: 3 } });
    });
    const answer = await scene.work({ processor });
    expect(answer).toMatchObject({ status: 'done', lost: 1, slices: 1 });
    // The first page's result was lost with the lease, so it is handed out again; no key is in the result twice.
    expect(handedOut).toEqual([...keys.slice(0, 10), ...keys]);
    expect(await scene.keys()).toEqual(keys);
  });
});

describe('a worker that was frozen', () => {
  it('in the middle of its claim does not act on the page, although the store has confirmed it', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    // A minute passes, from the second claim's way to the store until its answer.
    let frozenMs = 0;
    const runtime = {
      ...systemRuntime,
      monotonicMs: () => systemRuntime.monotonicMs() + frozenMs,
      wallMs: () => systemRuntime.wallMs() + frozenMs,
    };
    const handedOut: string[] = [];
    const freeze = stage.metered.faults.when(
      ({ operation }) => {
        if (operation !== 'UpdateItem' || handedOut.length === 0 || frozenMs > 0) return false;
        // The claim is applied by then; its answer is still under way.
        setTimeout(() => (frozenMs = 60_000), 300);
        return true;
      },
      { kind: 'delay', afterMs: 600 },
    );
    const caller = new AbortController();
    using _lost = onScan('scan-slice-lost', scene.run, () => caller.abort(new Error('woken')));
    const processor = beforeEachPage((page) => void handedOut.push(...page));
    const working = scene.work({ locks: scene.client({ runtime }), processor, signal: caller.signal });
    await expect(working).rejects.toThrow('woken');
    freeze.remove();
    expect(await onlySlice(scene)).toMatchObject({ cursor: 'k/009', claimed: 'k/019' });
    expect(handedOut).toEqual(keys.slice(0, 10));
  });

  it('between its look and its acquire does not make a slice anew that TTL has removed', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    const { name } = await onlySlice(scene);
    const slow = stage.metered.faults.on('UpdateItem').once().delay({ beforeMs: 400 });
    const working = scene.work();
    await slow.reached();
    const command = new DeleteItemCommand({ TableName: table, Key: { name: { S: name } } });
    await stage.metered.client.send(command);
    expect(await working).toMatchObject({ status: 'done', slices: 0, pages: 0 });
    expect(await scene.locks.context.table.get(name)).toBeUndefined();
    expect(await scene.verify()).toMatchObject({ status: 'failed', report: { tiles: false } });
  });
});

describe('takeover', () => {
  it('starts at the cursor: keys between cursor and claimed are handed out again, claimed is kept', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1 });
    const stopped = new AbortController();
    // A crash in the middle of the second page: nothing is given back.
    const crashed = scene
      .work({
        signal: stopped.signal,
        processor: beforeEachPage(async (page) => {
          if (page[0] !== 'k/010') return;
          const { name } = await onlySlice(scene);
          await simulateCrash(scene, name);
          stopped.abort(new Error('crashed'));
          throw new Error('crashed');
        }),
      })
      .catch((error) => error);
    expect(await crashed).toMatchObject({ message: 'crashed' });
    const between = await onlySlice(scene);
    expect(between).toMatchObject({ cursor: 'k/009', claimed: 'k/019', progress: 2, owner: 'ghost' });

    const claims: unknown[] = [];
    const handedOut: string[] = [];
    const processor = beforeEachPage(async (page) => {
      handedOut.push(...page);
      claims.push((await onlySlice(scene)).claimed);
    });
    const answer = await scene.work({ seat: 1, processor });
    expect(answer).toMatchObject({ takeovers: 1, slices: 1 });
    expect(handedOut).toEqual(keys.slice(10));
    expect(claims).toEqual(['k/019', 'k/029', 'k/039']);
    expect(await scene.verify()).toMatchObject({ status: 'complete', report: { objects: 40, takeovers: 1 } });
    expect(await scene.keys()).toEqual(inByteOrder(keys));
  });

  it('never lets claimed fall when the new holder lists less than the old one had claimed', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1, pageSize: 4 });
    const { name } = await onlySlice(scene);
    const { table } = scene.locks.context;
    // An old holder claimed far ahead (larger pages, or keys that are gone by now).
    await table.update(name, {
      set: { claimed: 'k/030' },
      condition: { text: 'attribute_exists(#progress)' },
    });
    const claims: string[] = [];
    await scene.work({
      processor: beforeEachPage(async () => void claims.push((await onlySlice(scene)).claimed!)),
    });
    expect(claims).toEqual([...Array(7).fill('k/030'), 'k/031', 'k/035', 'k/039']);
  });
});

/** What a crash leaves behind, seen from the table: a lease that nobody will renew or give back. */
async function simulateCrash(scene: Scene, name: string): Promise<void> {
  await scene.locks.context.table.update(name, {
    set: { leaseId: 'a-ghost', owner: 'ghost', expiresAt: Date.now() - 5_000 },
    condition: { text: 'attribute_exists(#leaseId)' },
  });
}
