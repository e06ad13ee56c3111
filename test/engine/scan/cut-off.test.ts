import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { S3Fault } from '../../../lib/local/index.js';
import { type SeatAnswer, workSeat } from '../../../lib/scan/index.js';
import { inByteOrder, listedKeys } from '../../support/scan/listed-keys.js';
import { onScan } from '../../support/scan/scan-events.js';
import { type Scene, Stage } from '../../support/scan/stage.js';
import { bySize } from '../../support/size.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const keys = Array.from({ length: 64 }, (_, index) => `k/${(index * 37) % 100}-${index}`);
const hasty = { leaseMs: 1_500, renewEveryMs: 400, safetyMarginMs: 100 } as const;

/** Works until no seat asks for more; what a state machine does with retries. */
async function finish(scene: Scene): Promise<SeatAnswer> {
  for (;;) {
    const answer = await scene.work();
    if (answer.status === 'done') return answer;
  }
}

async function expectExact(scene: Scene): Promise<void> {
  const verdict = await scene.verify();
  expect(verdict).toMatchObject({ status: 'complete', report: { objects: keys.length, tiles: true } });
  expect(await scene.keys()).toEqual(inByteOrder(keys));
}

describe('a run cut off at any moment goes on where it stood (C48)', () => {
  /** Each of these writes of a whole run of some thirty is the last one once. */
  const last = bySize({ short: [1, 8, 15, 29], long: Array.from({ length: 33 }, (_, i) => i + 1) });
  it.each(last)('aborted at write %i', async (write) => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 4, pageSize: 5, prefix: 'k/' });
    const caller = new AbortController();
    let writes = 0;
    const watch = stage.metered.faults.when(
      ({ operation, copy }) => {
        if (operation === 'UpdateItem' && !copy && ++writes === write) caller.abort(new Error('cut off'));
        return false;
      },
      { kind: 'drop-request' },
    );
    const first = await scene.work({ signal: caller.signal }).catch((error) => error);
    watch.remove();
    const cut = first instanceof Error;
    if (cut) expect(first.message).toBe('cut off');
    const handedOver = (await scene.verify()).report.objects;
    const rest = await finish(scene);
    // An orderly end gives back all pages that were done: at most the page at hand is done again.
    expect(rest.objects).toBe(keys.length - handedOver);
    await expectExact(scene);
  });

  it.each([
    [3, { kind: 'drop-request' } as const],
    [4, { kind: 'drop-answer' } as const],
    [5, { kind: 'server-error', applied: true } as const],
    [6, { kind: 'late', afterMs: 300 } as const],
    [7, { kind: 'duplicate', afterMs: 300 } as const],
    [5, { kind: 'throttle' } as const],
  ])('every %i-th write meets with %j', async (every, fault) => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 4, pageSize: 5, prefix: 'k/' });
    let writes = 0;
    const handle = stage.metered.faults.when(
      ({ operation, copy }) => operation === 'UpdateItem' && !copy && ++writes % every === 0,
      fault,
    );
    const answer = await workSeat({
      locks: scene.client(),
      s3: scene.s3,
      run: scene.run,
      seat: 0,
      processor: listedKeys(),
    });
    handle.remove();
    await stage.metered.faults.settled();
    expect(handle.hits).toBeGreaterThan(2);
    expect(answer.status).toBe('done');
    await expectExact(scene);
  });

  it('the store goes away for longer than a lease: another seat takes over at the cursor', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1, pageSize: 5, prefix: 'k/' });
    const locks = scene.client({ ...hasty, requestTimeoutMs: 250, maxAttempts: 2, owner: 'cut-off' });
    let writes = 0;
    const handle = stage.metered.faults.when(
      ({ operation }) => operation === 'UpdateItem' && ++writes >= 5 && writes < 40,
      { kind: 'drop-request' },
    );
    const answer = await scene.work({ locks }).catch((error) => error);
    handle.remove();
    const state = await scene.read();
    if (answer instanceof Error) {
      expect(answer).toMatchObject({ name: 'StoreError' });
      expect(state.slices[0]).toMatchObject({ progress: 4 });
    }
    await finish(scene);
    await expectExact(scene);
  });

  it.each<S3Fault>(['drop', 'internal-error', 'slow-down'])(
    'S3 fails once with %j: the slice is given back with its cursor, and no attempt is counted',
    async (fault) => {
      await using scene = await stage.scene(keys);
      await scene.plan({ slices: 1, pageSize: 5, prefix: 'k/' });
      let lists = 0;
      scene.faults = ({ operation }) => (operation === 'list' && ++lists === 4 ? fault : 'ok');
      await expect(scene.work()).rejects.toMatchObject({ name: 'StoreError', retryable: true });
      const [slice] = (await scene.read()).slices;
      expect(slice).toMatchObject({ progress: 3, attempts: 0 });
      expect(slice!.leaseId).toBeUndefined();
      const { report } = await scene.verify();
      expect(report.objects).toBe(15);
      await finish(scene);
      await expectExact(scene);
    },
  );

  it('out of time: the seat answers "more", at any page, and goes on', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 3, pageSize: 5, prefix: 'k/' });
    const answers: SeatAnswer[] = [];
    for (;;) {
      let pages = 0;
      const processor = listedKeys();
      const counting = {
        ...processor,
        process: (...page: Parameters<typeof processor.process>) => {
          pages += 1;
          return processor.process(...page);
        },
      };
      // Time for two pages each.
      const remainingMs = () => (pages < 2 ? 60_000 : 4_000);
      const answer = await scene.work({ processor: counting, remainingMs });
      answers.push(answer);
      if (answer.status === 'done') break;
      expect(answer).toMatchObject({ status: 'more', pages: 2 });
      const { slices } = await scene.read();
      expect(slices.every(({ leaseId, attempts = 0 }) => leaseId === undefined && attempts === 0)).toBe(true);
    }
    expect(answers.length).toBeGreaterThan(6);
    await expectExact(scene);
  });

  it('a page that does not end with the invocation is cut off, counted, and in the end quarantined', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ slices: 1, pageSize: 50, prefix: 'k/' });
    const hanging = {
      ...listedKeys(),
      process: (_page: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    };
    for (const attempts of [1, 2, 3, 4]) {
      // The margin is 5 seconds: the page has 50 ms.
      let end = Number.POSITIVE_INFINITY;
      using _claimed = onScan('scan-page-claimed', scene.run, () => {
        end = Date.now() + 5_050;
      });
      const remainingMs = () => Math.min(60_000, end - Date.now());
      const answer = await scene.work({ processor: hanging, remainingMs });
      expect(answer).toMatchObject({ status: 'more', pages: 0 });
      expect((await scene.read()).slices[0]).toMatchObject({ attempts });
    }
    expect(await scene.work()).toMatchObject({ status: 'done', slices: 0 });
    expect(await scene.verify()).toMatchObject({
      status: 'failed',
      report: { quarantined: [{ attempts: 4 }] },
    });
  });
});
