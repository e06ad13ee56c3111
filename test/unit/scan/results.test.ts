import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { type Lease, leaseFormat } from '../../../lib/lease/index.js';
import type { S3Sender } from '../../../lib/scan/listing/s3-requests.js';
import { loadPartial, PartialStore } from '../../../lib/scan/results/partial-store.js';
import type { Processor } from '../../../lib/scan/results/processor.js';
import { mergedResult, toReport } from '../../../lib/scan/results/scan-report.js';
import {
  leaseOutputPrefix,
  pageOutput,
  runOutputPrefix,
  sliceOutputPrefix,
} from '../../../lib/scan/results/slice-output.js';
import {
  emptyTally,
  objectFailure,
  shortMessage,
  type Tally,
  withPage,
} from '../../../lib/scan/results/tally.js';
import type { RunState } from '../../../lib/scan/slices/read-run.js';
import type { SliceItem } from '../../../lib/scan/slices/slice.js';

/** A bucket that remembers what it was asked, and with what signal. */
function memory() {
  const objects = new Map<string, string>();
  const asked: { readonly command: unknown; readonly bucket: string; readonly signal: unknown }[] = [];
  const send = async (command: unknown, bucket: string, signal: unknown) => {
    asked.push({ command, bucket, signal });
    if (command instanceof PutObjectCommand) objects.set(command.input.Key!, String(command.input.Body));
    if (!(command instanceof GetObjectCommand)) return {};
    const text = objects.get(command.input.Key!);
    return text === undefined ? {} : { Body: { transformToString: async () => text } };
  };
  return { objects, asked, sender: { send } as unknown as S3Sender };
}

const { signal } = new AbortController();

describe('a slice’s result', () => {
  const place = { bucket: 'out', prefix: 'run/000000/7/' };
  /** As JSON it has so many bytes. */
  const ofBytes = (bytes: number, letter = 'x') => letter.repeat(bytes - 2);

  it('lies in the item up to so many bytes, not characters, and above that in the bucket', async () => {
    const { sender, objects, asked } = memory();
    const store = new PartialStore(sender, place, 10);
    expect(await store.store(ofBytes(10), 1, signal)).toBe(`"${'x'.repeat(8)}"`);
    expect(asked).toEqual([]);
    const stored = await store.store('ééééé', 12, signal);
    const key = 'run/000000/7/partial-00000012.json';
    expect(stored).toEqual({ s3: { bucket: 'out', key } });
    expect(objects.get(key)).toBe('"ééééé"');
    const [{ command, bucket, signal: given }] = asked as [(typeof asked)[0]];
    expect((command as PutObjectCommand).input).toMatchObject({
      Bucket: 'out',
      ContentType: 'application/json',
    });
    expect({ bucket, given }).toEqual({ bucket: 'out', given: signal });
    expect(await loadPartial(sender, stored, signal)).toBe('ééééé');
    expect(asked.at(-1)).toMatchObject({ bucket: 'out', signal });
    expect((asked.at(-1)!.command as GetObjectCommand).input).toEqual({ Bucket: 'out', Key: key });
    expect(await loadPartial(sender, '{"a":1}')).toEqual({ a: 1 });
  });

  it('has four hundred bytes in the item unless its processor wants otherwise, and never more than 100,000', async () => {
    const { sender, asked } = memory();
    const usual = new PartialStore(sender, place);
    expect(await usual.store(ofBytes(400), 1)).toBeTypeOf('string');
    expect(await usual.store(ofBytes(401), 1)).toBeTypeOf('object');
    const greedy = new PartialStore(sender, place, 1_000_000);
    expect(await greedy.store(ofBytes(100_000), 1)).toBeTypeOf('string');
    expect(await greedy.store(ofBytes(100_001), 1)).toBeTypeOf('object');
    expect(asked).toHaveLength(2);
    const alone = new PartialStore(sender, undefined, 10);
    expect(await alone.store(ofBytes(100_000), 1)).toBeTypeOf('string');
    await expect(alone.store(ofBytes(100_001), 1)).rejects.toThrow(
      /^A partial result of 100001 bytes does not fit into a slice's item \(100000\)/,
    );
    expect(() => new PartialStore(sender, place, -1)).toThrow(/^inlineBytes: /);
    expect(() => new PartialStore(sender, place, 0)).not.toThrow();
  });

  it('that did not change is not written again, and one that did is', async () => {
    const { sender, asked } = memory();
    const store = new PartialStore(sender, place, 10);
    const first = await store.store(ofBytes(20), 1);
    expect(await store.store(ofBytes(20), 2)).toBe(first);
    expect(asked).toHaveLength(1);
    expect(await store.store(ofBytes(20, 'y'), 3)).not.toEqual(first);
    expect(asked).toHaveLength(2);
  });

  it('that is nothing is stored as null, and reads back as it, as does an answer without a body', async () => {
    const { sender } = memory();
    expect(await new PartialStore(sender, place).store(undefined, 1)).toBe('null');
    expect(await loadPartial(sender, { s3: { bucket: 'out', key: 'none' } })).toBeNull();
  });
});

describe('the output of a page', () => {
  const lost = new Error('lost');
  const lease = (isHeld = true) =>
    ({
      name: 'scan/run/000000',
      throwIfLost: () => {
        if (!isHeld) throw lost;
      },
    }) as Lease;

  it('lies below its run, slice and token, whatever slashes its prefix ends with', () => {
    for (const prefix of ['a/b', 'a/b/', 'a/b//']) {
      const place = { bucket: 'out', prefix };
      expect(runOutputPrefix(place, 'run')).toBe('a/b/run/');
      expect(sliceOutputPrefix(place, 'run', '000000')).toBe('a/b/run/000000/');
      expect(leaseOutputPrefix(place, 'run', '000000', 7)).toBe('a/b/run/000000/7/');
    }
    expect(runOutputPrefix({ bucket: 'out', prefix: '' }, 'run')).toBe('run/');
  });

  it('is put as it is, with its type, and says where', async () => {
    const { sender, asked } = memory();
    const output = pageOutput(sender, { bucket: 'out', prefix: 'a' }, 'a/run/7/', lease(), signal);
    expect(await output.put('x.json', '{}', { contentType: 'application/json' })).toEqual({
      bucket: 'out',
      key: 'a/run/7/x.json',
    });
    await output.put('y', 'text');
    expect(asked.map(({ command }) => (command as PutObjectCommand).input)).toEqual([
      { Bucket: 'out', Key: 'a/run/7/x.json', Body: '{}', ContentType: 'application/json' },
      { Bucket: 'out', Key: 'a/run/7/y', Body: 'text', ContentType: undefined },
    ]);
    expect(asked.every((one) => one.bucket === 'out' && one.signal === signal)).toBe(true);
  });

  it('is refused under no key, one that is too long, without a bucket, and after the lease', async () => {
    const { sender, asked } = memory();
    const place = { bucket: 'out', prefix: '' };
    const output = pageOutput(sender, place, 'p/', lease(), signal);
    const wrong = { name: 'UsageError', lockName: 'scan/run/000000' };
    for (const key of ['', '/x', 'x'.repeat(1_023), 'é'.repeat(512)]) {
      await expect(output.put(key, '')).rejects.toMatchObject({
        ...wrong,
        message: `Not a key for the output of a slice: "${key}"`,
      });
    }
    const nowhere = pageOutput(sender, undefined, '', lease(), signal);
    await expect(nowhere.put('x', '')).rejects.toMatchObject({
      ...wrong,
      message: 'The scan was planned without an output bucket',
    });
    await expect(pageOutput(sender, place, 'p/', lease(false), signal).put('x', '')).rejects.toBe(lost);
    expect(asked).toEqual([]);
    await output.put('x'.repeat(1_022), '');
    expect(asked).toHaveLength(1);
  });
});

describe('the tally of a slice', () => {
  const page = (
    number: number,
    token: number,
    sizes: readonly number[],
    failures: readonly string[] = [],
  ) => ({
    ...{ number, token },
    objects: sizes.map((size) => ({ size })),
    failures: failures.map((key) => objectFailure(key, new Error('x'))),
  });

  it('adds pages up, and says which of them each token has published', () => {
    const pages = [
      page(1, 7, [3, 4]),
      page(2, 7, [5], ['b']),
      page(4, 9, []),
      page(5, 9, [1]),
      page(6, 7, []),
    ];
    const tally = pages.reduce(withPage, { ...emptyTally, takeovers: 2, listRequests: 3 });
    expect(tally).toEqual({
      ...{ objects: 4, bytes: 13, pages: 5, takeovers: 2, listRequests: 3, failureCount: 1 },
      failures: [{ key: 'b', error: 'Error: x' }],
      published: [
        { token: 7, from: 1, to: 2 },
        { token: 9, from: 4, to: 5 },
        { token: 7, from: 6, to: 6 },
      ],
    });
  });

  it('names twenty failures, the first, and counts all', () => {
    const names = (from: number, count: number) => Array.from({ length: count }, (_, i) => `k${from + i}`);
    const tally = withPage(withPage(emptyTally, page(1, 7, [], names(0, 15))), page(2, 7, [], names(15, 15)));
    expect(tally.failureCount).toBe(30);
    expect(tally.failures.map(({ key }) => key)).toEqual(names(0, 20));
  });

  it('names an error in two hundred characters', () => {
    expect(shortMessage(new TypeError('no'))).toBe('TypeError: no');
    expect(shortMessage('text')).toBe('text');
    expect(shortMessage('x'.repeat(200))).toBe('x'.repeat(200));
    expect(shortMessage('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });
});

describe('the report of a run', () => {
  const tally = (part: Partial<Tally>): Tally => ({ ...emptyTally, ...part });
  const slice = (id: string, more: Partial<SliceItem>): SliceItem =>
    ({
      name: `scan/run/${id}`,
      format: leaseFormat,
      version: 7,
      progress: 0,
      splitProgress: 0,
      ...more,
    }) as SliceItem;
  const state = (slices: readonly SliceItem[], gaps: RunState['gaps'] = []) =>
    ({ run: { run: 'run', planRequests: 5 }, slices, gaps }) as unknown as RunState;

  it('adds up completed slices by their results, others by how far they are, and the planning', () => {
    const done = tally({
      objects: 1,
      bytes: 10,
      pages: 100,
      takeovers: 1_000,
      listRequests: 10_000,
      failureCount: 3,
    });
    const under = tally({
      objects: 2,
      bytes: 20,
      pages: 200,
      takeovers: 2_000,
      listRequests: 20_000,
      failureCount: 4,
    });
    const slices = [
      slice('000000', { completedAt: 1, result: { token: 7, partial: '', tally: done }, tally: under }),
      slice('000001', { leaseId: 'x', expiresAt: 99, tally: under }),
      slice('000002', {}),
    ];
    expect(toReport(state(slices), 50)).toEqual({
      ...{
        slices: 3,
        unfinished: 2,
        objects: 3,
        bytes: 30,
        pages: 300,
        takeovers: 3_000,
        listRequests: 30_005,
      },
      ...{ failureCount: 7, failures: [], quarantined: [], tiles: true },
    });
    expect(toReport(state([], [{ lo: 'a', hi: 'b', reason: 'missing' } as never]), 50).tiles).toBe(false);
  });

  it('names slices that nobody could finish: free or expired, after so many attempts', () => {
    const attempts = 99;
    const slices = [
      slice('000000', { attempts, lo: 'a', hi: 'b', lastError: 'no' }),
      slice('000001', { attempts, leaseId: 'x', expiresAt: 49 }),
      slice('000002', { attempts, leaseId: 'x', expiresAt: 50 }),
      slice('000003', { attempts, completedAt: 1 }),
    ];
    const { quarantined, unfinished } = toReport(state(slices), 50);
    expect(quarantined).toEqual([
      { slice: '000000', lo: 'a', hi: 'b', attempts, error: 'no' },
      { slice: '000001', attempts },
    ]);
    expect(unfinished).toBe(1);
  });

  it('names fifty failures and fifty slices', () => {
    const failures = (key: string) =>
      Array.from({ length: 20 }, (_, i) => ({ key: `${key}${i}`, error: 'x' }));
    const slices = Array.from({ length: 60 }, (_, i) =>
      slice(String(i), { attempts: 99, tally: tally({ failureCount: 20, failures: failures(`s${i}-`) }) }),
    );
    const report = toReport(state(slices), 50);
    expect(report.quarantined.map(({ slice: id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, i) => String(i)),
    );
    expect(report.failures).toHaveLength(50);
    expect(report.failures.at(-1)!.key).toBe('s2-9');
    expect(report.failureCount).toBe(1_200);
  });

  it('merges what is done, of completed slices their whole result, and compacts it once', async () => {
    const compacted: unknown[] = [];
    const processor: Processor<readonly string[]> = {
      empty: () => ['start'],
      process: () => [],
      merge: (a, b) => [...a, ...b],
      compact: (all) => {
        compacted.push(all);
        return [...all].reverse();
      },
    };
    const { sender, objects, asked } = memory();
    objects.set('far', '["far"]');
    const slices = [
      slice('000000', { result: { token: 7, partial: '["whole"]', tally: emptyTally }, partial: '["half"]' }),
      slice('000001', {}),
      slice('000002', { partial: { s3: { bucket: 'out', key: 'far' } } }),
    ];
    const all = ['start', 'whole', 'far'];
    expect(await mergedResult(sender, processor, state(slices), signal)).toEqual([...all].reverse());
    expect(compacted).toEqual([all]);
    expect(asked[0]!.signal).toBe(signal);
    const { compact: _, ...plain } = processor;
    expect(await mergedResult(sender, plain, state(slices))).toEqual(all);
  });
});
