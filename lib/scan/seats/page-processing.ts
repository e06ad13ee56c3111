import type { Lease } from '../../lease/index.js';
import { childSignal, type Runtime, whenAborted } from '../../runtime/index.js';
import type { ProcessContext, Processor, ScanPage, SliceOutput } from '../results/processor.js';
import { type ObjectFailure, objectFailure } from '../results/tally.js';
import type { SeatTime } from './seat-host.js';

/** After its signal a processor has this long to come to an end, in milliseconds; then it is left behind. */
const graceMs = 5_000;

/** What a page is processed with. */
export interface PageWork {
  readonly runtime: Runtime;
  readonly processor: Processor;
  readonly page: ScanPage;
  readonly lease: Lease;
  readonly time: SeatTime;
  /** The end of one page, in milliseconds: a processor that hangs must not hold its slice for ever. */
  readonly pageTimeoutMs: number;
  readonly outputFor: (signal: AbortSignal) => SliceOutput;
  readonly signal: AbortSignal | undefined;
}

/** What the processor made of a page. */
export interface PageResult {
  readonly partial: unknown;
  readonly failures: readonly ObjectFailure[];
}

/**
 * Hands one page to the processor. Its signal aborts with the lease, with the caller, when the invocation's time is
 * up, or after `pageTimeoutMs`; a processor that does not come to an end then is left behind after a grace.
 *
 * Nothing looks at the lease between the call and `process`: the claim is the last word.
 *
 * @throws what the processor throws, or the reason for which it was left behind
 */
export async function processPage(work: PageWork): Promise<PageResult> {
  const { runtime, processor, page, lease, time, pageTimeoutMs } = work;
  const scope = childSignal(lease.signal, work.signal);
  const limitMs = Math.min(pageTimeoutMs, time.leftMs);
  const cancel = runtime.setTimer(() => scope.abort(timeIsUp(limitMs)), Math.max(0, limitMs));
  const failures: ObjectFailure[] = [];
  const context: ProcessContext = {
    lease,
    signal: scope.signal,
    output: work.outputFor(scope.signal),
    failed: (key, error) => void failures.push(objectFailure(key, error)),
    runtime,
  };
  try {
    const processed = time.measured(async () => processor.process(page, context));
    const partial = await orLeftBehind(runtime, processed, scope.signal);
    return { partial, failures };
  } finally {
    cancel();
    scope.clear();
  }
}

/** The work's own outcome; or the signal's reason, when it did not end within the grace after the signal. */
function orLeftBehind<T>(runtime: Runtime, work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel = () => {};
    const leave = whenAborted(signal, () => {
      cancel = runtime.setAwaitedTimer(() => reject(signal.reason), graceMs);
    });
    work.then(resolve, reject).finally(() => {
      cancel();
      leave();
    });
  });
}

function timeIsUp(limitMs: number): DOMException {
  return new DOMException(`the page was not done within ${Math.round(limitMs)} ms`, 'TimeoutError');
}
