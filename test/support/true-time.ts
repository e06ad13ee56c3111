import fc from 'fast-check';
import { driftBound, StoreClock } from '../../lib/clock/store-clock.js';
import { dateAt, HandClocks } from './hand-clocks.js';

/** True time: what nobody in the system can see, and what every clock is judged by. */
export class TrueTime {
  now = 1_700_000_000_000;
  readonly machines: Machine[] = [];
  /** Which of the machines has the lapses; the others' clocks are right. */
  troubled = 0;

  /** So much time truly passes, and every machine's clocks make of it what they do. */
  pass(ms: number, lapse: Lapse): void {
    this.now += ms;
    for (const [i, machine] of this.machines.entries())
      machine.feel(ms, i === this.troubled ? lapse : honest);
  }
}

/** How the local clocks of a machine see a stretch of time: within the assumptions of protocol, section 3. */
export interface Lapse {
  /** Rates, off by no more than the drift bound. */
  readonly monotonicRate: number;
  readonly wallRate: number;
  /** `frozen`: the monotonic clock stands still; `stepped`: the wall clock is set by `stepMs` besides. */
  readonly trouble: 'none' | 'frozen' | 'stepped';
  readonly stepMs: number;
}

/** Both clocks are right. */
export const honest: Lapse = { monotonicRate: 1, wallRate: 1, trouble: 'none', stepMs: 0 };

/**
 * Any lapse that the assumptions allow: true elapsed time lies between the two clocks', drift included. They speak
 * of one trouble between two responses: a clock frozen and then the other set back would leave neither right.
 */
export const anyLapse: fc.Arbitrary<Lapse> = fc.record({
  monotonicRate: fc.double({ min: 1 - driftBound, max: 1 + driftBound, noNaN: true }),
  wallRate: fc.double({ min: 1 - driftBound, max: 1 + driftBound, noNaN: true }),
  trouble: fc.constantFrom('none', 'none', 'frozen', 'stepped'),
  stepMs: fc.integer({ min: -7_200_000, max: 7_200_000 }),
});

/** A machine with two local clocks and a store clock, talking to a front end of the store. */
export class Machine {
  readonly runtime: HandClocks;
  readonly clock: StoreClock;
  /** The front end that it talks to. */
  frontEndAheadMs: number;
  readonly #time: TrueTime;

  constructor(time: TrueTime, options: { readonly wallMs?: number; readonly frontEndAheadMs?: number } = {}) {
    this.#time = time;
    this.frontEndAheadMs = options.frontEndAheadMs ?? 0;
    this.runtime = new HandClocks(options.wallMs);
    this.clock = new StoreClock(this.runtime);
    time.machines.push(this);
  }

  /** A request and its response, so long on the way each; time passes for everybody. */
  talk(thereMs: number, backMs: number, lapse: Lapse = honest): void {
    const sentAt = this.clock.instant();
    this.#time.pass(thereMs, lapse);
    const date = dateAt(this.#time.now + this.frontEndAheadMs);
    this.#time.pass(backMs, lapse);
    this.clock.observe(sentAt, date);
  }

  feel(ms: number, { monotonicRate, wallRate, trouble, stepMs }: Lapse): void {
    const step = trouble === 'stepped' ? stepMs : 0;
    // A step is judged together with the stretch in which it happens: seen alone it would be "time ran backwards".
    this.runtime.move(trouble === 'frozen' ? 0 : ms * monotonicRate, ms * wallRate + step);
  }
}
