import { createLogUpdate } from 'log-update';
import type { ScanPlan } from '../../../lib/scan/index.js';
import { count, formatDuration, plural } from '../../terminal/figures.js';
import { note } from '../../terminal/output.js';
import { printable } from '../../terminal/styled-line.js';
import type { ScanProgress } from './progress.js';

/** How far a scan is, on stderr. */
export interface ProgressView extends Disposable {
  /** Something that stays on the screen. */
  say(sentence: string): void;
  /** Planning begins, which may take some requests. */
  planning(location: string): void;
  /** The run is planned, or was found. */
  planned(plan: ScanPlan): void;
  /** The last look; nothing is shown afterwards. */
  end(): void;
}

const liveEveryMs = 100;
const plainEveryMs = 5_000;

/** A view that redraws itself on a terminal, a line every few seconds elsewhere, none where programs read. */
export function progressView(
  progress: ScanProgress,
  options: { readonly json: boolean; readonly seats: number },
): ProgressView {
  if (process.stderr.isTTY) return new LiveView(progress, options.seats);
  return options.json ? silent : new PlainView(progress, options.seats);
}

const silent: ProgressView = { say() {}, planning() {}, planned() {}, end() {}, [Symbol.dispose]() {} };

/** How far it is, in one line. Splits add slices, so the number planned is no total. */
export function progressLine(progress: ScanProgress, seats: number, planned: number): string {
  const { slicesDone, objects, splits, busy, takeovers, quarantined } = progress;
  const leftMs = progress.timeLeftMs();
  return [
    `${plural(slicesDone, 'slice')} done (${planned} planned, ${plural(splits, 'split')})`,
    plural(objects, 'object'),
    `${count(progress.objectsPerSecond())} objects/s`,
    `${busy.size} of ${plural(seats, 'seat')} busy`,
    plural(takeovers, 'takeover'),
    ...(quarantined.size > 0 ? [`${quarantined.size} quarantined`] : []),
    ...(leftMs === undefined ? [] : [`about ${formatDuration(leftMs)} left`]),
  ].join(' · ');
}

/** What both views have in common: a title, a clock, news in between. */
abstract class TimedView implements ProgressView {
  protected readonly progress: ScanProgress;
  readonly #everyMs: number;
  readonly #seats: number;
  readonly #tell = (sentence: string): void => this.say(sentence);
  #timer: NodeJS.Timeout | undefined;
  #slicesPlanned = 0;

  constructor(progress: ScanProgress, seats: number, everyMs: number) {
    this.progress = progress;
    this.#seats = seats;
    this.#everyMs = everyMs;
  }

  planning(location: string): void {
    // Told before anything is written: with this name the run can be continued whatever happens.
    this.say(`run ${this.progress.run} of ${location}`);
  }

  planned(plan: ScanPlan): void {
    this.#slicesPlanned = plan.slices;
    this.say(
      plan.existed
        ? `found: ${plural(plan.slices, 'slice')} planned, ${this.progress.slicesDone} done`
        : `planned: ${plural(plan.slices, 'slice')}, with ${plural(plan.listRequests, 'request')}`,
    );
    this.progress.news.on('told', this.#tell);
    this.#timer = setInterval(() => this.show(), this.#everyMs);
    this.#timer.unref();
  }

  end(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.progress.news.off('told', this.#tell);
    this.show();
    this.close();
  }

  [Symbol.dispose](): void {
    this.end();
  }

  protected line(): string {
    return progressLine(this.progress, this.#seats, this.#slicesPlanned);
  }

  abstract say(sentence: string): void;
  protected abstract show(): void;
  protected close(): void {}
}

class LiveView extends TimedView {
  // A hidden cursor would stay hidden when a second Ctrl-C ends the process at once.
  readonly #log = createLogUpdate(process.stderr, { showCursor: true });

  constructor(progress: ScanProgress, seats: number) {
    super(progress, seats, liveEveryMs);
  }

  override say(sentence: string): void {
    this.#log.clear();
    note(printable(sentence));
  }

  protected override show(): void {
    this.#log(this.line());
  }

  protected override close(): void {
    this.#log.done();
  }
}

class PlainView extends TimedView {
  #last = '';

  constructor(progress: ScanProgress, seats: number) {
    super(progress, seats, plainEveryMs);
  }

  override say(sentence: string): void {
    note(printable(sentence));
  }

  protected override show(): void {
    const line = this.line();
    if (line !== this.#last) note(line);
    this.#last = line;
  }
}
