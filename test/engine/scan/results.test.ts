import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inventory, type Processor, type SliceResult, withLedger } from '../../../lib/scan/index.js';
import { madeTable } from '../../support/made-table.js';
import { type ListedKeys, listedKeys } from '../../support/scan/listed-keys.js';
import { onScan } from '../../support/scan/scan-events.js';
import { outputBucket, type Scene, Stage } from '../../support/scan/stage.js';

let stage: Stage;
let document: DynamoDBDocumentClient;
beforeAll(async () => {
  stage = await Stage.open();
  const client = new DynamoDBClient(stage.dynamo.clientConfig());
  await madeTable(client, 'ledger', 'slice');
  document = DynamoDBDocumentClient.from(client);
});
afterAll(async () => {
  document.destroy();
  await stage[Symbol.asyncDispose]();
});

const keys = Array.from({ length: 40 }, (_, index) => `k/${String(index).padStart(3, '0')}`);
const output = { bucket: outputBucket, prefix: 'results/' };

async function filesIn(scene: Scene): Promise<string[]> {
  const entries = await readdir(join(scene.root, outputBucket), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(scene.root, outputBucket).length + 1))
    .sort();
}

/** As a processor with large results; the limit is small so that a few keys are large. */
const bulky = (inlineBytes: number): Processor<ListedKeys> => ({ ...listedKeys(), inlineBytes });

describe('partial results', () => {
  it('go to the output bucket when they are large, under a key with token and progress', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10, output });
    scene.server.requests.reset();
    await scene.work({ processor: bulky(150) });
    const [slice] = (await scene.read()).slices;
    const { token, partial } = slice!.result as SliceResult;
    const base = `results/${scene.run}/000000/${token}`;
    // The first page fits; the claims of pages 3 and 4 carry larger ones, and the completion the last.
    expect(await filesIn(scene)).toEqual([2, 3, 4].map((page) => `${base}/partial-0000000${page}.json`));
    expect(partial).toEqual({ s3: { bucket: outputBucket, key: `${base}/partial-00000004.json` } });
    expect(scene.server.requests.put).toBe(3);
    const stored = JSON.parse(
      await readFile(join(scene.root, outputBucket, `${base}/partial-00000004.json`), 'utf8'),
    );
    expect(stored).toEqual({ keys });
    expect(await scene.keys()).toEqual(keys);
  });

  it('are read back by the next holder', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10, output });
    let pages = 0;
    const counting = {
      ...bulky(10),
      process: (...page: Parameters<Processor<ListedKeys>['process']>) => {
        pages += 1;
        return listedKeys().process(...page);
      },
    };
    const remainingMs = () => (pages < 2 ? 60_000 : 0);
    expect(await scene.work({ processor: counting, remainingMs })).toMatchObject({ status: 'more' });
    expect((await scene.read()).slices[0]!.partial).toMatchObject({ s3: { bucket: outputBucket } });
    await scene.work({ processor: bulky(10) });
    expect(await scene.keys()).toEqual(keys);
  });

  it('are not written again when they did not change', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5, output });
    const constant: Processor<string> = {
      inlineBytes: 10,
      empty: () => 'the same long result',
      process: () => 'the same long result',
      merge: (a) => a,
    };
    scene.server.requests.reset();
    await scene.work({ processor: constant });
    expect(scene.server.requests.put).toBe(1);
  });

  it('stay in the item without an output bucket, up to a limit', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10 });
    await scene.work({ processor: bulky(10) });
    expect(await scene.keys()).toEqual(keys);
    const huge: Processor<string> = {
      empty: () => '',
      process: () => 'x'.repeat(100_001),
      merge: (a, b) => a + b,
    };
    await scene.plan({ prefix: 'k/', run: `${scene.run}-huge`, slices: 1 });
    await expect(scene.work({ run: `${scene.run}-huge`, processor: huge })).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('output bucket'),
    });
  });
});

describe('output', () => {
  const writing: Processor<ListedKeys> = {
    ...listedKeys(),
    async process(page, { output: into }) {
      await into.put('keys.txt', page.objects.map(({ key }) => key).join('\n'), {
        contentType: 'text/plain',
      });
      return listedKeys().process(page, {} as never);
    },
  };

  it('lies under a key with the token, and the result says which tokens and pages count', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10, output });
    let pages = 0;
    const breaking: Processor<ListedKeys> = {
      ...writing,
      async process(page, context) {
        const partial = await writing.process(page, context);
        // Its third page is written, but not done.
        if (++pages === 3) throw new Error('broken');
        return partial;
      },
    };
    const caller = new AbortController();
    using _released = onScan('scan-slice-released', scene.run, () => caller.abort(new Error('enough')));
    await expect(scene.work({ processor: breaking, signal: caller.signal })).rejects.toThrow('enough');
    await scene.work({ processor: writing, seat: 1 });
    const [slice] = (await scene.read()).slices;
    const { token, tally, output: published } = slice!.result as SliceResult;
    expect(published).toEqual({ bucket: outputBucket, prefix: `results/${scene.run}/000000/` });
    const [first] = tally.published;
    expect(tally.published).toEqual([
      { token: first!.token, from: 1, to: 2 },
      { token, from: 4, to: 5 },
    ]);
    expect(first!.token).toBeLessThan(token);
    // Put together from what is published: every key once, though page 3 was written twice.
    const found: string[] = [];
    for (const part of tally.published) {
      for (let page = part.from; page <= part.to; page++) {
        const key = `${published!.prefix}${part.token}/${String(page).padStart(8, '0')}/keys.txt`;
        found.push(...(await readFile(join(scene.root, outputBucket, key), 'utf8')).split('\n'));
      }
    }
    expect(found).toEqual(keys);
    expect(await filesIn(scene)).toHaveLength(5);
  });

  it('is refused without an output bucket, for no key, and after the lease', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 100 });
    await scene.work({ processor: writing });
    expect(await scene.verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('without an output bucket'),
    });
    await scene.plan({ prefix: 'k/', run: `${scene.run}-2`, slices: 1, pageSize: 100, output });
    const errors: unknown[] = [];
    const misusing: Processor<ListedKeys> = {
      ...listedKeys(),
      async process(page, { output: into, lease }) {
        for (const key of ['', '/x', 'x'.repeat(1024)])
          await into.put(key, '').catch((error) => errors.push(error));
        await scene.locks.break(lease.name, lease.leaseId);
        await lease.renew().catch(() => {});
        await into.put('late', '').catch((error) => errors.push(error));
        return listedKeys().process(page, {} as never);
      },
    };
    const caller = new AbortController();
    using _lost = onScan('scan-slice-lost', `${scene.run}-2`, () => caller.abort(new Error('enough')));
    const working = scene.work({ run: `${scene.run}-2`, processor: misusing, signal: caller.signal });
    await expect(working).rejects.toThrow('enough');
    expect(errors).toMatchObject([...Array(3).fill({ name: 'UsageError' }), { name: 'LockLostError' }]);
  });
});

describe('the ledger', () => {
  it('has one fenced row a slice', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 2, pageSize: 10 });
    await scene.work({ processor: withLedger(inventory(), { client: document, table: 'ledger' }) });
    for (const slice of (await scene.read()).slices) {
      const { Item } = await document.send(
        new GetCommand({ TableName: 'ledger', Key: { slice: slice.name } }),
      );
      expect(Item).toEqual({
        slice: slice.name,
        run: scene.run,
        pages: slice.progress,
        lastKey: slice.cursor,
        fence: slice.version,
      });
    }
  });

  it('refuses the write of a worker that woke up, although it does not look at its signal', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10 });
    const lost: unknown[] = [];
    using _lost = onScan('scan-slice-lost', scene.run, ({ reason, seat }) => lost.push([seat, reason]));
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let fellAsleep = () => {};
    const sleeping = new Promise<void>((resolve) => {
      fellAsleep = resolve;
    });
    const naive: Processor<ListedKeys> = {
      ...listedKeys(),
      async process(page, context) {
        if (page.number === 2) {
          fellAsleep();
          await asleep;
        }
        return listedKeys().process(page, context);
      },
    };
    const ledger = { client: document, table: 'ledger' };
    const caller = new AbortController();
    const woken = scene.work({
      processor: withLedger(naive, ledger),
      signal: caller.signal,
      locks: scene.client(),
    });
    await sleeping;
    // Its lease is taken from it: what a pause longer than the lease comes to.
    const [held] = (await scene.read()).slices;
    await scene.locks.break(held!.name, held!.leaseId!);
    await scene.work({ seat: 1, processor: withLedger(listedKeys(), ledger) });
    const row = () => document.send(new GetCommand({ TableName: 'ledger', Key: { slice: held!.name } }));
    const before = (await row()).Item;
    wake();
    expect(await woken).toMatchObject({ status: 'done', lost: 1, pages: 1 });
    expect(lost).toEqual([[0, 'stale-token']]);
    expect((await row()).Item).toEqual(before);
    expect(before).toMatchObject({ lastKey: 'k/039' });
    expect(await scene.keys()).toEqual(keys);
  });
});
