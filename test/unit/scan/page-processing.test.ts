import { describe, expect, it } from 'vitest';
import { LockLostError, StoreError } from '../../../lib/errors/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import type { ProcessContext, ScanPage } from '../../../lib/scan/index.js';
import { processPage } from '../../../lib/scan/seats/page-processing.js';
import { SeatTime } from '../../../lib/scan/seats/seat-host.js';
import { isPassing, persistently } from '../../../lib/scan/slices/scan-conditions.js';
import { listenedSignal } from '../../support/listened-signal.js';
import { VirtualTime } from '../../support/virtual-time.js';

const page = { number: 1 } as ScanPage;

interface Limits {
  readonly pageTimeoutMs?: number;
  readonly remainingMs?: () => number;
  readonly signal?: AbortSignal;
}

/** A processor at work on a page. */
function scene(
  process: (page: ScanPage, context: ProcessContext) => unknown,
  { pageTimeoutMs = 60_000, remainingMs, signal }: Limits = {},
) {
  const runtime = new VirtualTime();
  const [lost, caller] = [new AbortController(), new AbortController()];
  const lease = { signal: lost.signal } as Lease;
  const time = new SeatTime(runtime, remainingMs, 1_000);
  const outputs: unknown[] = [];
  const processor = { empty: () => null, process, merge: () => null };
  const outputFor = (signal: AbortSignal) => {
    outputs.push(signal);
    return 'output' as never;
  };
  const work = {
    ...{ runtime, processor, page, lease, time, pageTimeoutMs, outputFor },
    signal: signal ?? caller.signal,
  };
  const startMs = runtime.monotonicMs();
  const ended = processPage(work).then(
    (result) => ({ result, afterMs: runtime.monotonicMs() - startMs }),
    (error: unknown) => ({ error, afterMs: runtime.monotonicMs() - startMs }),
  );
  return { runtime, lost, caller, outputs, time, ended, lease };
}

/** Never ends by itself, whatever happens. */
const deaf = () => new Promise<never>(() => {});
/** Ends with its signal. */
const polite = (_page: ScanPage, { signal }: ProcessContext) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a page that is processed', () => {
  it('has its lease, one signal, its output and its clocks, and tells what failed of it', async () => {
    let context: ProcessContext | undefined;
    const { ended, runtime, lease, outputs } = scene(async (given, own) => {
      expect(given).toBe(page);
      context = own;
      own.failed('a', new TypeError('no'));
      return 'result';
    });
    expect(await runtime.until(ended)).toMatchObject({
      result: { partial: 'result', failures: [{ key: 'a', error: 'TypeError: no' }] },
    });
    expect(context!.lease).toBe(lease);
    expect(context!.output).toBe('output');
    expect(context!.runtime).toBe(runtime);
    expect(outputs).toEqual([context!.signal]);
    // What was set for it is gone, and nothing ends what is over.
    expect(runtime.timers).toBe(0);
    expect(context!.signal.aborted).toBe(false);
  });

  it('may be processed at once, and fails with what its processor throws', async () => {
    const { ended, runtime } = scene(() => 'at once');
    expect(await runtime.until(ended)).toMatchObject({ result: { partial: 'at once', failures: [] } });
    const error = new RangeError('a bad page');
    const thrown = scene(() => {
      throw error;
    });
    expect(await thrown.runtime.until(thrown.ended)).toMatchObject({ error });
    expect(thrown.runtime.timers).toBe(0);
  });

  it.each<readonly [string, Limits, number]>([
    ['its own limit', { pageTimeoutMs: 3_000 }, 3_000],
    ['the seat’s time', { pageTimeoutMs: 9_000, remainingMs: () => 5_000 }, 4_000],
    ['no time at all', { remainingMs: () => 0 }, 0],
  ])('ends with %s, and says after how long', async (_, options, limitMs) => {
    const { ended, runtime } = scene(polite, options);
    const { error, afterMs } = (await runtime.until(ended)) as { error: Error; afterMs: number };
    expect(error).toMatchObject({
      ...{ name: 'TimeoutError', message: `the page was not done within ${limitMs || -1_000} ms` },
    });
    expect(afterMs).toBe(limitMs);
    expect(runtime.timers).toBe(0);
  });

  it.each(['lost', 'caller'] as const)('ends with its signal: %s', async (whose) => {
    const played = scene(polite);
    await played.runtime.pass(100);
    const reason = new Error('enough');
    played[whose].abort(reason);
    expect(await played.runtime.until(played.ended)).toMatchObject({ error: reason, afterMs: 100 });
  });

  it('is left behind five seconds after its signal, where its processor does not hear that', async () => {
    const { runtime, caller, ended } = scene(deaf);
    await runtime.pass(100);
    const reason = new Error('enough');
    caller.abort(reason);
    expect(await runtime.until(ended)).toMatchObject({ error: reason, afterMs: 5_100 });
    expect(runtime.timers).toBe(0);
  });

  it('counts where it comes to an end in those five seconds', async () => {
    const played = scene(
      (_page, { signal, runtime }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => runtime.setTimer(() => resolve('late'), 4_000)),
        ),
    );
    await played.runtime.pass(100);
    played.caller.abort(new Error('enough'));
    expect(await played.runtime.until(played.ended)).toMatchObject({
      ...{ result: { partial: 'late' }, afterMs: 4_100 },
    });
    expect(played.runtime.timers).toBe(0);
  });

  it('leaves nobody listening to the signal of whoever goes on', async () => {
    const caller = listenedSignal();
    const { ended, runtime } = scene(() => 'done', { signal: caller.signal });
    await runtime.until(ended);
    expect(caller.listeners()).toBe(0);
  });

  it('is measured: no page is begun that may take longer than is left', async () => {
    const slow = (_page: ScanPage, { runtime }: ProcessContext) =>
      new Promise((resolve) => runtime.setTimer(() => resolve(null), 3_000));
    const played = scene(slow, { remainingMs: () => 4_000 });
    expect(played.time.isShort).toBe(false);
    await played.runtime.until(played.ended);
    expect(played.time.isShort).toBe(true);
  });
});

describe('a write of a slice’s holder', () => {
  const failure = (retryable: boolean) =>
    new StoreError('as asked', 'scan/r/000000', { retryable, mayHaveApplied: true });

  /** Writes that fail so often, with such errors; when each was tried. */
  function writes(times: number, error: unknown) {
    const time = new VirtualTime();
    const triedMs: number[] = [];
    const lost = new AbortController();
    const lease = {
      signal: lost.signal,
      throwIfLost: () => lost.signal.throwIfAborted(),
    } as Lease;
    const write = async () => {
      triedMs.push(time.monotonicMs());
      if (triedMs.length <= times) throw error;
      return 'written';
    };
    return { time, triedMs, lost, written: persistently(time, lease, write) };
  }

  it('is repeated while the store gives no answer, at most a second apart', async () => {
    const { time, triedMs, written } = writes(12, failure(true));
    expect(await time.until(written)).toBe('written');
    const gaps = triedMs.slice(1).map((ms, i) => ms - triedMs[i]!);
    expect(gaps).toHaveLength(12);
    expect(gaps[0]).toBe(100);
    expect(Math.max(...gaps)).toBe(1_000);
  });

  it('fails at once for what does not pass', async () => {
    for (const error of [failure(false), new Error('no')]) {
      const { time, triedMs, written } = writes(1, error);
      await expect(time.until(written)).rejects.toBe(error);
      expect(triedMs).toHaveLength(1);
    }
  });

  it('ends with the lease, in a pause and before the next try', async () => {
    const loss = new LockLostError('scan/r/000000', 'expired', 7);
    const { time, lost, triedMs, written } = writes(99, failure(true));
    written.catch(() => {});
    await time.pass(50);
    lost.abort(loss);
    await expect(time.until(written)).rejects.toBe(loss);
    expect(triedMs).toHaveLength(1);
    expect(time.timers).toBe(0);
  });

  it('is not repeated once the lease is over by the clock, though no timer has said so yet', async () => {
    const loss = new LockLostError('scan/r/000000', 'expired', 7);
    const time = new VirtualTime();
    let tries = 0;
    const lease = {
      signal: new AbortController().signal,
      throwIfLost: () => {
        throw loss;
      },
    } as unknown as Lease;
    const written = persistently(time, lease, async () => {
      tries += 1;
      throw failure(true);
    });
    const ended = expect(written).rejects.toBe(loss);
    await time.pass(5_000);
    expect(tries).toBe(1);
    await ended;
  });

  it('passes only what the store calls so', () => {
    expect(isPassing(failure(true))).toBe(true);
    expect(isPassing(failure(false))).toBe(false);
    expect(isPassing(Object.assign(new Error('x'), { retryable: true }))).toBe(false);
    expect(isPassing({ name: 'StoreError', retryable: true })).toBe(false);
  });
});
