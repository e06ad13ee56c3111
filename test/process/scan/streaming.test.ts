import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled } from '../../support/compiled.js';
import { listedKeys } from '../../support/scan/listed-keys.js';
import { bucket, Stage, table } from '../../support/scan/stage.js';
import { bySize } from '../../support/size.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const run = promisify(execFile);
const script = compiled(new URL('../../support/scan/scan-child.ts', import.meta.url).pathname);

/** Folders of a thousand objects each. */
const [fewFolders, manyFolders] = bySize({ short: [5, 12], long: [10, 100] });
/** An object in memory costs some 200 bytes: so many more of them would be above this. */
const noiseBytes = bySize({ short: 1_000_000, long: 10_000_000 });

describe('a scan does not hold its keys (C47)', () => {
  it('the first objects are processed before the listing is finished', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `k/${String(index).padStart(3, '0')}`);
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 10 });
    scene.lists.length = 0;
    const listedAtFirst: number[] = [];
    const processor = {
      ...listedKeys(),
      process: async (...page: Parameters<ReturnType<typeof listedKeys>['process']>) => {
        // Time enough to list all, if anybody wanted to.
        await new Promise((resolve) => setTimeout(resolve, 50));
        listedAtFirst.push(scene.lists.length);
        return listedKeys().process(...page);
      },
    };
    await scene.work({ processor });
    // The page at hand and the one behind it, no more.
    expect(listedAtFirst.map((lists, page) => lists - page - 1)).toEqual([...Array(19).fill(1), 0]);
  });

  it('memory does not grow with their number', async () => {
    const memoryOf = async (folders: number) => {
      await using scene = await stage.scene();
      for (let folder = 0; folder < folders; folder++) {
        const path = join(scene.root, bucket, `folder-${String(folder).padStart(4, '0')}`);
        mkdirSync(path);
        for (let file = 0; file < 1_000; file++) writeFileSync(join(path, `object-${file}.json`), '');
      }
      await scene.plan({ slices: 1, pageSize: 1_000 });
      const { stdout } = await run(process.execPath, [
        ...['--expose-gc', '--no-warnings', script],
        ...[stage.dynamo.endpoint, scene.server.endpoint, table, scene.run],
      ]);
      const { objects, ...memory } = JSON.parse(stdout) as Record<
        'heapBytes' | 'residentBytes' | 'objects',
        number
      >;
      expect(objects).toBe(folders * 1_000);
      return memory;
    };
    const few = await memoryOf(fewFolders);
    const many = await memoryOf(manyFolders);
    console.log(`heap after collections: ${few.heapBytes} and ${many.heapBytes} bytes`);
    expect(many.heapBytes).toBeLessThan(few.heapBytes + noiseBytes);
    expect(many.residentBytes).toBeLessThan(few.residentBytes * 1.25);
  }, 180_000);
});
