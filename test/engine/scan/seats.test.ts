import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Processor, ScanEvents } from '../../../lib/scan/index.js';
import { takeable } from '../../../lib/scan/slices/scan-conditions.js';
import { type ListedKeys, listedKeys } from '../../support/scan/listed-keys.js';
import { onScan } from '../../support/scan/scan-events.js';
import { type Scene, Stage } from '../../support/scan/stage.js';
import { until } from '../../support/until.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage[Symbol.asyncDispose]());

const keys = Array.from({ length: 50 }, (_, index) => `k/${String(index).padStart(3, '0')}`);
const cuts = ['k/009', 'k/019', 'k/029', 'k/039'];
const fiveSlices = { prefix: 'k/', slices: 5, pageSize: 5, cuts } as const;

/** Waits in `process` at a key, until told to go on. */
function gateAt(key: string) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const processor: Processor<ListedKeys> = {
    ...listedKeys(),
    async process(page, context) {
      if (page.objects.some((object) => object.key === key)) {
        arrive();
        await opened;
      }
      return listedKeys().process(page, context);
    },
  };
  return { processor, arrived, open };
}

describe('seats', () => {
  it('seat i begins with slice i, and each goes on with what is left', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(fiveSlices);
    const acquired: ScanEvents['scan-slice-acquired'][] = [];
    using _events = onScan('scan-slice-acquired', scene.run, (event) => acquired.push(event));
    await Promise.all([0, 1, 2].map((seat) => scene.work({ seat, locks: scene.client() })));
    for (const seat of [0, 1, 2]) {
      expect(acquired.find((event) => event.seat === seat)).toMatchObject({
        slice: `00000${seat}`,
        takenOver: false,
        name: `scan/${scene.run}/00000${seat}`,
      });
    }
    // Whoever finds nothing free splits what another works on, so there may be more slices than were planned.
    const { report } = await scene.verify();
    expect(acquired).toHaveLength(report.slices);
    expect(report).toMatchObject({ objects: 50, takeovers: 0 });
  });

  it('more seats than slices: the others wait, and answer when all is done', async () => {
    await using scene = await stage.scene(keys.slice(0, 5));
    await scene.plan({ prefix: 'k/', seats: 4, pageSize: 5 });
    const gate = gateAt('k/002');
    const first = scene.work({ processor: gate.processor });
    await gate.arrived;
    let answered = false;
    const second = scene.work({ seat: 3 }).finally(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(answered).toBe(false);
    gate.open();
    expect(await first).toMatchObject({ status: 'done', slices: 1 });
    expect(await second).toMatchObject({ status: 'done', slices: 0, pages: 0 });
  });

  it('waiting only reads, and ends with the caller or with the time', async () => {
    await using scene = await stage.scene(keys.slice(0, 5));
    await scene.plan({ prefix: 'k/', pageSize: 5 });
    const gate = gateAt('k/002');
    const first = scene.work({ processor: gate.processor });
    await gate.arrived;
    stage.metered.meter.reset();
    const end = Date.now() + 5_800;
    const waiting = scene.work({ seat: 1, remainingMs: () => end - Date.now() });
    expect(await waiting).toMatchObject({ status: 'more', pages: 0 });
    expect(stage.metered.meter.writes).toBe(0);
    expect(stage.metered.meter.reads).toBeGreaterThan(3);
    const caller = new AbortController();
    const aborted = scene.work({ seat: 1, signal: caller.signal });
    setTimeout(() => caller.abort(new Error('enough')), 150);
    await expect(aborted).rejects.toThrow('enough');
    gate.open();
    await first;
  });

  it('D45 a lock in the group of the slices is passed over and told, by seats and by the proof', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 2, pageSize: 5 });
    const told: ScanEvents['scan-foreign-item'][] = [];
    using _events = onScan('scan-foreign-item', scene.run, (event) => told.push(event));
    const group = `scan/${scene.run}`;
    // One under a name of its own, and one that has a name as a child would.
    const names = ['somebody-elses', `${group}/c${'0'.repeat(24)}`];
    for (const name of names)
      expect(await scene.locks.tryAcquire(name, { group, owner: 'x' })).not.toBeNull();
    expect(await scene.work()).toMatchObject({ status: 'done' });
    expect(await scene.verify()).toMatchObject({ status: 'complete', report: { objects: 50, tiles: true } });
    expect(told.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(await scene.keys()).toEqual(keys);
  });

  it('what a holder leaves that is gone is split, and its rest taken over: at the latest in the next round', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    const gate = gateAt('k/012');
    // Its renewals do not reach the store any more: what a machine that was cut off looks like.
    const locks = scene.hastyClient({ owner: 'cut-off' });
    const acquired: ScanEvents['scan-slice-acquired'][] = [];
    using _events = onScan('scan-slice-acquired', scene.run, (event) => acquired.push(event));
    const crashed = scene.work({ locks, processor: gate.processor }).catch((error) => error);
    await gate.arrived;
    const handle = stage.metered.faults.when(
      ({ body }) => JSON.stringify(body.ExpressionAttributeValues ?? {}).includes(acquired[0]!.lease.leaseId),
      { kind: 'drop-request' },
    );
    // A seat that finds nothing worth a split ends; it does not wait for a lease to run out.
    do expect(await scene.work({ seat: 1 })).toMatchObject({ status: 'done' });
    while ((await scene.verify()).status === 'more');
    const takenOver = acquired.filter((event) => event.takenOver);
    expect(takenOver).toMatchObject([{ seat: 1, cursor: 'k/009', slice: '000000' }]);
    expect(takenOver[0]!.token).toBeGreaterThan(acquired[0]!.token);
    handle.remove();
    gate.open();
    await crashed;
    expect(await scene.keys()).toEqual(keys);
    expect((await scene.verify()).report).toMatchObject({ takeovers: 1, objects: 50 });
  });

  it('a seat of a later round stays as long as others hold anything: the round brings the run to its end', async () => {
    await using scene = await stage.scene(keys.slice(0, 20));
    await scene.plan({ prefix: 'k/', slices: 2, pageSize: 5, cuts: ['k/009'] });
    const gate = gateAt('k/007');
    const slow = scene.work({ processor: gate.processor });
    await gate.arrived;
    expect(await scene.verify({ maxRounds: 2 })).toMatchObject({ status: 'more', round: 1 });
    let waits = 0;
    using _events = onScan('scan-seat-waits', scene.run, () => {
      waits += 1;
    });
    const later = scene.work({ seat: 1 });
    // So many looks at a slice that is not worth a split that one of the first round had ended.
    const ended = later.then(() => 'ended');
    const stays = until('six looks', () => waits >= 6).then(() => 'stays');
    expect(await Promise.race([ended, stays])).toBe('stays');
    gate.open();
    expect(await slow).toMatchObject({ status: 'done', slices: 1 });
    expect(await later).toMatchObject({ status: 'done', slices: 1, takeovers: 0 });
    expect(await scene.verify({ maxRounds: 2 })).toMatchObject({ status: 'complete', round: 2 });
  });

  it('a retried seat supersedes its own earlier lease at once, and the earlier instance stops', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    const gate = gateAt('k/012');
    const lost: ScanEvents['scan-slice-lost'][] = [];
    using _events = onScan('scan-slice-lost', scene.run, (event) => lost.push(event));
    const secondGate = gateAt('k/044');
    const earlier = scene.work({ processor: gate.processor });
    await gate.arrived;
    const later = scene.work({ locks: scene.client(), processor: secondGate.processor });
    await secondGate.arrived;
    gate.open();
    expect(await earlier).toMatchObject({ status: 'superseded', lost: 1 });
    expect(lost).toMatchObject([{ reason: 'superseded', seat: 0 }]);
    secondGate.open();
    expect(await later).toMatchObject({ status: 'done', slices: 1, takeovers: 1 });
    expect(await scene.keys()).toEqual(keys);
  });

  it('an earlier instance that wakes up does not take the later one’s slice away', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(fiveSlices);
    const zombieGate = gateAt('k/002');
    const zombie = scene.work({ locks: scene.client(), processor: zombieGate.processor });
    await zombieGate.arrived;
    // The retry takes slice 0 over, completes it, and is in the middle of the next one.
    const laterGate = gateAt('k/022');
    const later = scene.work({ locks: scene.client(), processor: laterGate.processor });
    await laterGate.arrived;
    zombieGate.open();
    // It may work on what is free, or split what others work on; the slice held under its own name it leaves alone.
    await until('the woken instance works on, or ends', async () => {
      const { slices } = await scene.read();
      return slices.filter(({ completedAt }) => completedAt !== undefined).length >= 3;
    });
    const slices = (await scene.read()).slices;
    expect(slices.find(({ lo }) => lo === 'k/019')).toMatchObject({ owner: `scan/${scene.run}/seat-0` });
    laterGate.open();
    expect(await later).toMatchObject({ status: 'done', lost: 0 });
    await zombie;
    expect(await scene.keys()).toEqual(keys);
  });

  it('one that was frozen at its start does not take the slice of an instance from a minute later', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    const { clock, table } = scene.locks.context;
    const name = `scan/${scene.run}/000000`;
    const acquiredAt = Math.ceil(clock.now().latest) + 60_000;
    await table.update(name, {
      set: {
        leaseId: 'of-the-later-one',
        owner: `scan/${scene.run}/seat-0`,
        leaseMs: 60_000,
        acquiredAt,
        expiresAt: acquiredAt + 60_000,
      },
      condition: { text: 'attribute_exists(#progress)' },
    });
    // Nor does its write, if it had looked before the later one came.
    const before = await table.get(name);
    const supersede = (ownUntilMs: number) =>
      scene.locks.tryAcquire(name, {
        owner: `scan/${scene.run}/seat-0`,
        supersede: true,
        change: { condition: takeable(ownUntilMs) },
      });
    expect(await supersede(acquiredAt - 1)).toBeNull();
    expect(await table.get(name)).toEqual(before);
    stage.metered.meter.reset();
    const end = Date.now() + 5_800;
    const frozen = await scene.work({ remainingMs: () => end - Date.now() });
    expect(frozen).toMatchObject({ status: 'more', pages: 0 });
    expect(stage.metered.meter.writes).toBe(0);
    expect(stage.metered.meter.reads).toBeGreaterThan(3);
    await using taken = await supersede(acquiredAt);
    expect(taken).toMatchObject({ takenOverFrom: { leaseId: 'of-the-later-one' } });
  });

  it('many duplicates of all seats at once: every key in exactly one result', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(fiveSlices);
    const claims: string[] = [];
    using _events = onScan('scan-page-claimed', scene.run, ({ slice, pages }) =>
      claims.push(`${slice} ${pages}`),
    );
    const instances = Array.from({ length: 9 }, (_, index) =>
      scene.work({ seat: index % 3, locks: scene.client({ owner: `instance-${index}` }) }),
    );
    await Promise.all(instances);
    while ((await scene.verify()).status === 'more') await scene.work({ seat: 7 });
    expect(await scene.verify()).toMatchObject({ status: 'complete', report: { objects: 50, tiles: true } });
    expect(await scene.keys()).toEqual(keys);
    // No page number of a slice was ever claimed twice.
    expect(new Set(claims).size).toBe(claims.length);
  });

  it('leaves nothing behind when the caller gives up: the slice is free, no renewal follows', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    const caller = new AbortController();
    const gate = gateAt('k/012');
    const working = scene.work({
      locks: scene.hastyClient(),
      processor: gate.processor,
      signal: caller.signal,
    });
    await gate.arrived;
    caller.abort(new Error('enough'));
    gate.open();
    await expect(working).rejects.toThrow('enough');
    const [slice] = (await scene.read()).slices;
    expect(slice!.leaseId).toBeUndefined();
    stage.metered.meter.reset();
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(stage.metered.meter.total).toBe(0);
  });
});

describe('quarantine', () => {
  it('does not come of ends that are nobody’s fault: the caller gave up in the first page, five times', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    for (let time = 0; time < 5; time++) {
      const caller = new AbortController();
      const hanging: Processor<ListedKeys> = {
        ...listedKeys(),
        process: (_page, { signal }) => {
          queueMicrotask(() => caller.abort(new Error('enough')));
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          });
        },
      };
      const working = scene.work({ seat: time, processor: hanging, signal: caller.signal });
      await expect(working).rejects.toThrow('enough');
      expect((await scene.read()).slices[0]).toMatchObject({ attempts: 0 });
    }
    await scene.work();
    expect(await scene.keys()).toEqual(keys);
  });

  it('holds for a seat that looked before the last attempt failed', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    const slow = stage.metered.faults.on('UpdateItem').once().delay({ beforeMs: 400 });
    const working = scene.work();
    await slow.reached();
    await scene.locks.context.table.update(`scan/${scene.run}/000000`, {
      set: { attempts: 4 },
      condition: { text: 'attribute_exists(#progress)' },
    });
    expect(await working).toMatchObject({ status: 'done', slices: 0, pages: 0 });
  });

  /** A processor that fails at one key. */
  const failingAt = (key: string): Processor<ListedKeys> => ({
    ...listedKeys(),
    process(page, context) {
      if (page.objects.some((object) => object.key === key)) throw new Error(`can't take ${key}`);
      return listedKeys().process(page, context);
    },
  });

  it('after four grants without progress the slice is left alone, and the run fails naming range and error (C49)', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan(fiveSlices);
    const acquired: ScanEvents['scan-slice-acquired'][] = [];
    const quarantined: ScanEvents['scan-slice-quarantined'][] = [];
    using _acquired = onScan('scan-slice-acquired', scene.run, (event) => acquired.push(event));
    using _events = onScan('scan-slice-quarantined', scene.run, (event) => quarantined.push(event));
    const answer = await scene.work({ processor: failingAt('k/023') });
    expect(answer).toMatchObject({ status: 'done', slices: 4 });
    expect(acquired.filter(({ slice }) => slice === '000002').map(({ attempts }) => attempts)).toEqual([
      1, 2, 3, 4,
    ]);
    expect(quarantined).toMatchObject([{ slice: '000002', lo: 'k/019', hi: 'k/029', attempts: 4 }]);
    const verdict = await scene.verify();
    expect(verdict).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(
        /000002 \("k\/019", "k\/029"\] is quarantined after 4 attempts: Error: can't take k\/023/,
      ),
      report: {
        tiles: true,
        unfinished: 0,
        quarantined: [{ slice: '000002', error: "Error: can't take k/023" }],
      },
    });
    stage.metered.meter.reset();
    expect(await scene.work({ seat: 2 })).toMatchObject({ status: 'done', pages: 0 });
    expect(stage.metered.meter.writes).toBe(0);
  });

  it('progress sets the count back: a failure late in the slice has four grants of its own', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    const acquired: unknown[] = [];
    using _acquired = onScan('scan-slice-acquired', scene.run, ({ attempts, cursor }) =>
      acquired.push([attempts, cursor]),
    );
    await scene.work({ processor: failingAt('k/012') });
    // The first grant made progress, so it does not count.
    expect(acquired).toEqual([[1, undefined], ...[1, 2, 3, 4].map((attempts) => [attempts, 'k/009'])]);
    expect((await scene.verify()).report).toMatchObject({ objects: 10, quarantined: [{ attempts: 4 }] });
  });

  it('crashes count like failures', async () => {
    await using scene = await stage.scene(keys);
    await scene.plan({ prefix: 'k/', slices: 1, pageSize: 5 });
    for (const crash of [1, 2, 3, 4]) await crashAtFirstPage(scene, crash);
    expect(await scene.work({ seat: 9 })).toMatchObject({ status: 'done', pages: 0 });
    expect(await scene.verify()).toMatchObject({
      status: 'failed',
      report: { takeovers: 3, quarantined: [{ attempts: 4 }] },
    });
  });
});

/** A worker that is cut off from the store in the middle of its first page, and then ends. */
async function crashAtFirstPage(scene: Scene, attempts: number): Promise<void> {
  const caller = new AbortController();
  const gate = gateAt('k/002');
  let leaseId = '';
  using _acquired = onScan('scan-slice-acquired', scene.run, (event) => {
    leaseId = event.lease.leaseId;
    expect(event.attempts).toBe(attempts);
  });
  const options = { locks: scene.hastyClient(), seat: attempts, signal: caller.signal };
  const working = scene.work({ ...options, processor: gate.processor });
  await gate.arrived;
  const handle = stage.metered.faults.when(
    ({ body }) => JSON.stringify(body.ExpressionAttributeValues ?? {}).includes(leaseId),
    { kind: 'drop-request' },
  );
  caller.abort(new Error('crashed'));
  gate.open();
  await expect(working).rejects.toThrow('crashed');
  handle.remove();
  // The lease is there and runs out.
  expect((await scene.read()).slices[0]).toMatchObject({ attempts, claimed: 'k/004', leaseId });
}
