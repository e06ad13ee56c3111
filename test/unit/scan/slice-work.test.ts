import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { LockLostError, StoreError } from '../../../lib/errors/index.js';
import { type Lease, leaseFormat } from '../../../lib/lease/index.js';
import { systemRuntime } from '../../../lib/runtime/index.js';
import type { Processor, ScanEvents, ScanPage } from '../../../lib/scan/index.js';
import type { OutputPlace } from '../../../lib/scan/results/slice-output.js';
import { type SeatHost, SeatTime } from '../../../lib/scan/seats/seat-host.js';
import { SliceWork } from '../../../lib/scan/seats/slice-work.js';
import { childSliceId } from '../../../lib/scan/slices/slice.js';
import { listenedSignal } from '../../support/listened-signal.js';
import { MemoryBucket } from '../../support/scan/memory-bucket.js';
import { onScan } from '../../support/scan/scan-events.js';

const name = 'scan/r/000000';
const keys = ['p/a', 'p/b', 'p/c', 'p/d', 'p/e'];

type Stored = Readonly<Record<string, unknown>>;
interface Written {
  readonly kind: 'claim' | 'complete' | 'release';
  readonly set: Stored;
  readonly result?: Stored;
}

/** What the store answers to a claim or a completion: taken, or the item that it found instead. */
type Answer = Stored | 'applied' | Error;

interface Scene {
  readonly before?: Stored;
  readonly processor?: Partial<Processor<readonly string[]>>;
  readonly answers?: (written: Written, times: number) => Answer;
  readonly output?: OutputPlace;
  readonly remainingMs?: () => number;
  readonly takenOverFrom?: { readonly owner: string; readonly token: number };
  readonly signal?: AbortSignal;
  readonly putFails?: Error;
  /** Whether the lease is over by the clock. */
  readonly isLost?: () => boolean;
}

function raise(error: Error): never {
  throw error;
}

/** A slice at work in pages of two keys, under a lease that is played. */
function scene(options: Scene = {}) {
  const { before, processor, answers, output, remainingMs, takenOverFrom, signal, putFails, isLost } =
    options;
  const stored = {
    ...{ name, format: leaseFormat, version: 6, progress: 0, splitProgress: 0, attempts: 1 },
    ...before,
  };
  const written: Written[] = [];
  const write = async (one: Written): Promise<unknown> => {
    written.push(one);
    const answer = answers?.(one, written.length) ?? 'applied';
    if (answer instanceof Error) throw answer;
    if (answer === 'applied') return { applied: true };
    return { applied: false, item: { ...stored, ...answer } };
  };
  const lease = {
    ...{ name, leaseId: 'lease', token: 7, itemBefore: stored, takenOverFrom, isHeld: true },
    signal: new AbortController().signal,
    throwIfLost: () => isLost?.() && raise(new LockLostError(name, 'expired', 7)),
    renewWith: ({ set }: { readonly set: Stored }) => write({ kind: 'claim', set }),
    completeWith: (result: Stored, { set }: { readonly set: Stored }) =>
      write({ kind: 'complete', set, result }),
    release: async ({ set }: { readonly set: Stored }) => {
      await write({ kind: 'release', set });
      return 'released';
    },
  };
  const bucket = new MemoryBucket(keys);
  const puts: PutObjectCommand['input'][] = [];
  const s3 = {
    send: async (command: unknown, options: never) => {
      if (!(command instanceof PutObjectCommand)) return bucket.s3.send(command as never, options);
      puts.push(command.input);
      if (putFails) throw putFails;
      return {};
    },
  };
  const children: Stored[] = [];
  const childSignals: unknown[] = [];
  const table = {
    create: async (item: Stored, given: unknown) => {
      children.push(item);
      childSignals.push(given);
    },
    update: async () => ({ applied: true }),
  };
  const clock = { now: () => ({ earliest: 1_000, latest: 2_000 }) };
  const pages: ScanPage[] = [];
  const host = {
    context: { runtime: systemRuntime, table, clock, retentionMs: 1 },
    s3,
    run: {
      ...{ run: 'r', bucket: 'data', prefix: 'p/', pageSize: 2, cuts: [], startedAtMs: 99 },
      ...(output && { output }),
    },
    seat: 3,
    processor: {
      empty: () => [],
      merge: (a: readonly string[], b: readonly string[]) => [...a, ...b],
      ...processor,
      process: (page: ScanPage, context: never) => {
        pages.push(page);
        return processor?.process?.(page, context) ?? page.objects.map(({ key }) => key);
      },
    },
    time: new SeatTime(systemRuntime, remainingMs, 0),
    pageTimeoutMs: 60_000,
    signal,
  } as unknown as SeatHost;
  const work = new SliceWork(host, lease as unknown as Lease);
  return { work, written, bucket, puts, pages, children, childSignals };
}

/** What is told of a slice, in order, without the lease. */
function told(): unknown[] & Disposable {
  const all: unknown[] = [];
  const listening = (
    ['scan-slice-acquired', 'scan-page-claimed', 'scan-page-done', 'scan-slice-completed'] as const
  ).map((kind) =>
    onScan(kind, 'r', ({ lease, ...event }: ScanEvents[typeof kind]) => {
      expect(lease.token).toBe(7);
      all.push([kind, event]);
    }),
  );
  return Object.assign(all, {
    [Symbol.dispose]: () => {
      for (const one of listening) one[Symbol.dispose]();
    },
  });
}

const claims = (written: readonly Written[]) => written.filter(({ kind }) => kind === 'claim');
const released = (written: readonly Written[]) => written.find(({ kind }) => kind === 'release')?.set;

describe('the work on a slice', () => {
  it('claims each page before the processor has it, and completes with the sum of them', async () => {
    const { work, written, pages } = scene();
    await work.run();
    expect(written.map(({ kind, set }) => [kind, set.claimed, set.cursor, set.progress])).toEqual([
      ['claim', 'p/b', undefined, 1],
      ['claim', 'p/d', 'p/b', 2],
      ['claim', 'p/e', 'p/d', 3],
      ['complete', undefined, 'p/e', undefined],
    ]);
    expect(written.at(-1)!.result).toMatchObject({
      ...{ token: 7, partial: JSON.stringify(keys) },
      tally: { objects: 5, bytes: 5, pages: 3, takeovers: 0, published: [{ token: 7, from: 1, to: 3 }] },
    });
    expect(written.at(-1)!.result).not.toHaveProperty('output');
    const about = {
      run: 'r',
      slice: '000000',
      sliceName: name,
      bucket: 'data',
      prefix: 'p/',
      startedAtMs: 99,
    };
    expect(pages.map(({ objects, ...page }) => ({ ...page, keys: objects.map(({ key }) => key) }))).toEqual([
      { ...about, number: 1, lastKey: 'p/b', keys: ['p/a', 'p/b'] },
      { ...about, number: 2, lastKey: 'p/d', keys: ['p/c', 'p/d'] },
      { ...about, number: 3, lastKey: 'p/e', keys: ['p/e'] },
    ]);
    expect([work.pages, work.objects]).toEqual([3, 5]);
  });

  it('tells of itself what a dashboard needs: whose, what, how much', async () => {
    using events = told();
    const before = { lo: 'a', hi: 'p/c', cursor: 'p/a', claimed: 'p/a', progress: 4, attempts: 3 };
    const takenOverFrom = { owner: 'other', token: 5 };
    const tally = { objects: 1, bytes: 1, pages: 4, listRequests: 5, takeovers: 1 };
    const { work } = scene({
      before: { ...before, tally: { ...tally, failureCount: 0, failures: [], published: [] } },
      takenOverFrom,
    });
    await work.run();
    const about = { run: 'r', seat: 3, slice: '000000', name, token: 7 };
    expect([...events]).toEqual([
      [
        'scan-slice-acquired',
        { ...about, takenOver: true, takenOverFrom, cursor: 'p/a', lo: 'a', hi: 'p/c', attempts: 4 },
      ],
      ['scan-page-claimed', { ...about, pages: 5, objects: 2, firstKey: 'p/b', lastKey: 'p/c' }],
      ['scan-page-done', { ...about, pages: 5, objects: 2, bytes: 2, totalObjects: 3 }],
      ['scan-slice-completed', { ...about, pages: 5, objects: 3, bytes: 3 }],
    ]);
  });

  it('goes on behind the cursor with the result so far, counts the takeover and the lists', async () => {
    const tally = { objects: 2, bytes: 2, pages: 1, listRequests: 4, takeovers: 1 };
    const { work, written, bucket } = scene({
      before: {
        ...{ cursor: 'p/b', claimed: 'p/d', progress: 2, partial: '["p/a","p/b"]' },
        tally: { ...tally, failureCount: 0, failures: [], published: [] },
      },
      takenOverFrom: { owner: 'other', token: 5 },
    });
    await work.run();
    expect(bucket.asked.map(({ StartAfter }) => StartAfter)).toEqual(['p/b', 'p/d']);
    expect(claims(written).map(({ set }) => [set.claimed, set.progress])).toEqual([
      ['p/d', 3],
      ['p/e', 4],
    ]);
    expect(written.at(-1)!.result).toMatchObject({
      ...{ partial: JSON.stringify(keys) },
      tally: { objects: 5, pages: 3, takeovers: 2, listRequests: 6 },
    });
    expect(work.listRequests).toBe(2);
  });

  it('begins behind its lower bound, and ends at its upper one with no list more than it needs', async () => {
    const { work, written, bucket } = scene({ before: { lo: 'p/a', hi: 'p/c' } });
    await work.run();
    expect(bucket.asked.map(({ StartAfter }) => StartAfter)).toEqual(['p/a']);
    expect(written.map(({ kind, set }) => [kind, set.claimed, set.cursor])).toEqual([
      ['claim', 'p/c', undefined],
      ['complete', undefined, 'p/c'],
    ]);
  });

  it('completes with nothing where nothing lies', async () => {
    const { work, written } = scene({ before: { lo: 'p/x' } });
    await work.run();
    expect(written).toMatchObject([{ kind: 'complete', result: { partial: '[]', tally: { pages: 0 } } }]);
  });
});

describe('a holder that was frozen', () => {
  it('in the middle of its claim hands nothing out, although the store has confirmed that', async () => {
    let isOver = false;
    const { work, pages } = scene({
      isLost: () => isOver,
      answers: (_, times) => {
        isOver = times === 2;
        return 'applied';
      },
    });
    await expect(work.run()).rejects.toMatchObject({ name: 'LockLostError' });
    expect(pages.map(({ lastKey }) => lastKey)).toEqual(['p/b']);
    expect([work.pages, work.objects]).toEqual([1, 2]);
  });
});

describe('a slice that is split while it is worked on', () => {
  it('has its page cut at the new end, claims again, and makes the child', async () => {
    const child = { id: childSliceId('p/c'), lo: 'p/c' };
    const { work, written, pages, children } = scene({
      answers: ({ set }, times) => (times === 2 && set.claimed === 'p/d' ? { hi: 'p/c', child } : 'applied'),
    });
    await work.run();
    expect(written.map(({ kind, set }) => [kind, set.claimed])).toEqual([
      ['claim', 'p/b'],
      ['claim', 'p/d'],
      ['claim', 'p/c'],
      ['complete', undefined],
    ]);
    expect(pages.map(({ lastKey }) => lastKey)).toEqual(['p/b', 'p/c']);
    expect(children).toMatchObject([{ name: `scan/r/${child.id}`, lo: 'p/c' }]);
  });

  it('hands nothing out of a page that belongs to the child as a whole', async () => {
    const { work, written, pages } = scene({
      answers: (_, times) => (times === 2 ? { hi: 'p/b' } : 'applied'),
    });
    await work.run();
    expect(pages.map(({ lastKey }) => lastKey)).toEqual(['p/b']);
    expect(written.at(-1)).toMatchObject({ kind: 'complete', set: { cursor: 'p/b' } });
  });

  it('is completed up to its new end where that moved in the meantime', async () => {
    const { work, written } = scene({
      answers: ({ kind }, times) => (kind === 'complete' && times === 4 ? { hi: 'p/z' } : 'applied'),
    });
    await work.run();
    expect(written.map(({ kind }) => kind)).toEqual(['claim', 'claim', 'claim', 'complete', 'complete']);
  });

  it('makes a child that it finds pending when it begins', async () => {
    const child = { id: childSliceId('p/c'), lo: 'p/c' };
    const { work, children, childSignals } = scene({ before: { hi: 'p/c', child } });
    await work.run();
    // It ends with the lease, and with the caller.
    expect(childSignals).toEqual([expect.objectContaining({ aborted: false })]);
    expect(children).toMatchObject([{ name: `scan/r/${child.id}`, lo: 'p/c' }]);
  });

  it('gives up a write that is refused ten times over for nothing that can be seen: another try may help', async () => {
    const { work, written } = scene({ answers: () => ({}) });
    await expect(work.run()).rejects.toMatchObject({
      ...{ name: 'StoreError', lockName: name, retryable: true, mayHaveApplied: false },
      message: `The slice "${name}" refuses every write, although nothing about it has changed`,
    });
    expect(written).toHaveLength(11);
    const atEnd = scene({ answers: ({ kind }) => (kind === 'complete' ? {} : 'applied') });
    await expect(atEnd.work.run()).rejects.toMatchObject({ name: 'StoreError', retryable: true });
    expect(atEnd.written).toHaveLength(3 + 11);
  });
});

describe('a slice that is given back', () => {
  const failing = {
    process: ({ number }: ScanPage) => {
      if (number === 2) throw new Error('a bad page');
      return undefined as never;
    },
  };

  it('has what is done of it, and why', async () => {
    const { work, written } = scene({ processor: failing });
    await expect(work.run()).rejects.toMatchObject({
      name: 'ProcessorFailure',
      cause: { message: 'a bad page' },
    });
    expect(await work.giveBack(true, 'Error: a bad page')).toBe('released');
    expect(released(written)).toMatchObject({
      ...{ cursor: 'p/b', partial: '["p/a","p/b"]', attempts: 0, lastError: 'Error: a bad page' },
      tally: { objects: 2, pages: 1 },
    });
    expect(released(written)).not.toHaveProperty('claimed');
    expect([work.pages, work.objects]).toEqual([1, 2]);
  });

  it('has its tries as before where the grant counts against nobody, and one more where it does', async () => {
    for (const [fault, attempts] of [
      [false, 2],
      [true, undefined],
    ] as const) {
      const { work, written } = scene({
        before: { attempts: 2 },
        processor: {
          process: () => {
            throw new Error('first page');
          },
        },
      });
      await expect(work.run()).rejects.toThrow();
      await work.giveBack(fault);
      // The grant itself has counted one more.
      expect(released(written)!.attempts).toBe(attempts);
      expect(released(written)).not.toHaveProperty('partial');
      expect(released(written)).not.toHaveProperty('cursor');
    }
  });

  it('has the tries that were counted before its own grant, where that shows itself in the item', async () => {
    using events = told();
    const { work, written } = scene({
      before: { attempts: 3, leaseId: 'lease', expiresAt: 9 },
      remainingMs: () => 0,
    });
    await expect(work.run()).rejects.toMatchObject({ name: 'OutOfTime' });
    await work.giveBack(false);
    expect(released(written)!.attempts).toBe(2);
    expect(events[0]).toMatchObject(['scan-slice-acquired', { attempts: 3, takenOver: false }]);
  });

  it('before its work began has nothing but its tries; one that was never tried has had none', async () => {
    const { work, written } = scene({ before: { attempts: undefined } });
    await work.giveBack(false);
    expect(released(written)).toEqual({ attempts: 0 });
  });

  it('is given back with what can be stored of it, and left to run out where the store can’t be reached', async () => {
    const { work, written } = scene({
      processor: { ...failing, inlineBytes: 1, process: failing.process },
      output: { bucket: 'out', prefix: '' },
    });
    await expect(work.run()).rejects.toThrow();
    expect(await work.giveBack(true)).toBe('released');
    expect(released(written)).toMatchObject({ partial: { s3: { bucket: 'out' } } });
    const gone = new StoreError('gone', name, { retryable: true, mayHaveApplied: true });
    const unreachable = scene({ answers: ({ kind }) => (kind === 'release' ? gone : 'applied') });
    expect(await unreachable.work.giveBack(true)).toBe('released');
  });
});

describe('a seat that runs out of time, or is told to stop', () => {
  it('claims no further page', async () => {
    let leftMs = 1_000;
    const { work, written, pages } = scene({
      remainingMs: () => leftMs,
      processor: {
        process: ({ objects }) => {
          leftMs = 0;
          return objects.map(({ key }) => key);
        },
      },
    });
    await expect(work.run()).rejects.toMatchObject({ name: 'OutOfTime' });
    expect(pages).toHaveLength(1);
    expect(claims(written)).toHaveLength(1);
  });

  it('completes what it has at its end: that takes no page', async () => {
    let leftMs = 1_000;
    const { work, written } = scene({
      before: { hi: 'p/b' },
      remainingMs: () => leftMs,
      processor: {
        process: ({ objects }) => {
          leftMs = 0;
          return objects.map(({ key }) => key);
        },
      },
    });
    await work.run();
    expect(written.at(-1)!.kind).toBe('complete');
  });

  it('claims no further page after its signal', async () => {
    const stop = new AbortController();
    const { work, written } = scene({
      signal: stop.signal,
      processor: {
        process: ({ objects }) => {
          stop.abort(new Error('enough'));
          return objects.map(({ key }) => key);
        },
      },
    });
    await expect(work.run()).rejects.toThrow();
    expect(claims(written)).toHaveLength(1);
  });
});

describe('a slice that is over', () => {
  it('leaves nobody listening to the signal of whoever goes on, however it ended', async () => {
    const caller = listenedSignal();
    await scene({ signal: caller.signal }).work.run();
    expect(caller.listeners()).toBe(0);
    const failing = scene({
      signal: caller.signal,
      processor: {
        process: () => {
          throw new Error('a bad page');
        },
      },
    });
    await expect(failing.work.run()).rejects.toThrow();
    expect(caller.listeners()).toBe(0);
  });
});

describe('a listing that hangs', () => {
  it('is given up with the caller’s signal, ahead of the page that is worked on, too', async () => {
    const stop = new AbortController();
    const { work, bucket } = scene({ signal: stop.signal });
    bucket.hangs = true;
    const working = work.run();
    working.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(bucket.asked).toHaveLength(1);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(working).rejects.toBe(reason);
  });
});

describe('the output of a slice', () => {
  it('lies below run, slice, token and page, and is told with the result', async () => {
    const { work, written, puts } = scene({
      output: { bucket: 'out', prefix: 'o' },
      processor: {
        process: async ({ objects }, { output }) => {
          await output.put('rows.csv', 'x');
          return objects.map(({ key }) => key);
        },
      },
    });
    await work.run();
    expect(puts.map(({ Bucket, Key }) => `${Bucket}/${Key}`)).toEqual(
      [1, 2, 3].map((page) => `out/o/r/000000/7/0000000${page}/rows.csv`),
    );
    expect(written.at(-1)!.result).toMatchObject({ output: { bucket: 'out', prefix: 'o/r/000000/' } });
  });

  it('that could not be written fails the page', async () => {
    const { work } = scene({
      output: { bucket: 'out', prefix: 'o' },
      putFails: Object.assign(new Error('no right'), { name: 'AccessDenied' }),
      processor: {
        process: async (_page, { output }) => {
          await output.put('rows.csv', 'x');
          return [];
        },
      },
    });
    await expect(work.run()).rejects.toMatchObject({ cause: { name: 'StoreError' } });
  });

  it('is refused where the run has no bucket for it', async () => {
    const { work } = scene({
      processor: {
        process: async (_page, { output }) => {
          await output.put('rows.csv', 'x');
          return [];
        },
      },
    });
    await expect(work.run()).rejects.toMatchObject({ cause: { name: 'UsageError' } });
  });
});
