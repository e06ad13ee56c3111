import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elapsedBetween } from '../../../lib/clock/store-clock.js';
import {
  expiryFor,
  Lease,
  type LeaseContext,
  type LeaseStore,
  takeoverBefore,
} from '../../../lib/lease/index.js';
import type { ItemTable } from '../../../lib/table/index.js';
import { checkProperty } from '../../support/property.js';
import { anyLapse, honest, Machine, TrueTime } from '../../support/true-time.js';

const skewMs = 500;
const leaseMs = 10_000;
const settings = {
  leaseMs,
  renewEveryMs: 3_000,
  safetyMarginMs: 0,
  maxHoldMs: undefined,
  spareMs: 0,
  wholeLeaseMs: leaseMs,
  capMs: undefined,
};

/** Nothing here talks to a table: only the clocks decide. */
const noTable = {} as ItemTable;
const noStore = {} as LeaseStore;

function makeContext({ clock, runtime }: Machine): LeaseContext {
  return { table: noTable, store: noStore, clock, runtime, skewMs, retentionMs: 86_400_000 };
}

/** A lease that the machine was granted now, as its client would hold it. */
function granted(machine: Machine): { readonly lease: Lease; readonly expiresAt: number } {
  const context = makeContext(machine);
  const expiresAt = expiryFor(context, leaseMs);
  const askedAt = machine.clock.instant();
  const grant = {
    ...{ leaseId: 'id', token: 1, expiresAt, acquiredAt: 0, askedAt, item: undefined, adopted: false },
  };
  return { lease: new Lease(context, { name: 'n', owner: 'o' }, grant, settings), expiresAt };
}

/** Knows the time to a moment: it has seen a response at each end of a second. */
function precise(time: TrueTime, frontEndAheadMs = 0): Machine {
  const machine = new Machine(time, { frontEndAheadMs });
  const toLastMs = 999 - ((time.now + frontEndAheadMs) % 1_000);
  time.pass(toLastMs, honest);
  machine.talk(0, 0);
  time.pass(1, honest);
  machine.talk(0, 0);
  return machine;
}

/** Has seen one response, made at this part of a second: its interval is a second wide. */
function vague(time: TrueTime, phaseMs: number): Machine {
  time.pass(1_000 + phaseMs - (time.now % 1_000), honest);
  const machine = new Machine(time);
  machine.talk(0, 0);
  return machine;
}

describe('the rules of granting, holding and taking (protocol, section 3)', () => {
  it('I2 the granting rule: a lease runs for its whole length at least, by true time', () => {
    const time = new TrueTime();
    const holder = vague(time, 999);
    expect(granted(holder).expiresAt).toBeGreaterThanOrEqual(time.now + leaseMs);
  });

  it('I2 the holder’s rule: valid only while latest lies before the end, though true time may still do', () => {
    const time = new TrueTime();
    const holder = vague(time, 0);
    const { lease, expiresAt } = granted(holder);
    time.pass(leaseMs, honest);
    const { earliest, latest } = holder.clock.now();
    expect(earliest).toBeLessThan(expiresAt);
    expect(latest).toBeGreaterThanOrEqual(expiresAt);
    expect(lease.remainingMs).toBe(0);
  });

  it('I2 the taker’s rule: earliest decides, though latest lies past the end by a second', () => {
    const time = new TrueTime();
    const holder = precise(time);
    const { lease, expiresAt } = granted(holder);
    time.pass(leaseMs - 2_500, honest);
    const taker = vague(time, 0);
    time.pass(expiresAt - 100 - time.now, honest);
    expect(taker.clock.now().latest - skewMs).toBeGreaterThan(expiresAt);
    expect(lease.remainingMs).toBeGreaterThan(0);
    expect(expiresAt < takeoverBefore(makeContext(taker))).toBe(false);
  });

  it('I2 the taker leaves room for the skew between the store’s front ends', () => {
    const time = new TrueTime();
    const taker = precise(time, skewMs);
    const holder = precise(time);
    const { lease, expiresAt } = granted(holder);
    time.pass(expiresAt - 100 - time.now, honest);
    expect(taker.clock.now().earliest).toBeGreaterThan(expiresAt);
    expect(lease.remainingMs).toBeGreaterThan(0);
    expect(expiresAt < takeoverBefore(makeContext(taker))).toBe(false);
  });

  it('I6 a taker gets its chance within lease, skew and its clock’s uncertainty', () => {
    const time = new TrueTime();
    const holder = precise(time);
    const { expiresAt } = granted(holder);
    const taker = vague(time, 500);
    time.pass(leaseMs + skewMs + 1_000 + 20, honest);
    expect(expiresAt < takeoverBefore(makeContext(taker))).toBe(true);
  });

  it('I2 property: a holder’s validity and a takeover exclude each other, for any clocks', () => {
    const aheadMs = fc.integer({ min: 0, max: skewMs });
    const talk = fc.record({
      frontEndsAheadMs: fc.tuple(aheadMs, aheadMs),
      rtt: fc.integer({ min: 0, max: 400 }),
      idle: fc.integer({ min: 0, max: 1_300 }),
      lapse: anyLapse,
    });
    const machine = fc.record({ wallMs: fc.integer() });
    const step = fc.record({
      ms: fc.integer({ min: 0, max: 200 }),
      frontEndsAheadMs: fc.tuple(aheadMs, aheadMs),
    });
    const steps = fc.array(step, { minLength: 5, maxLength: 40 });
    const arbitraries = [machine, machine, fc.array(talk, { minLength: 1, maxLength: 15 }), steps] as const;
    checkProperty(
      fc.property(
        ...arbitraries,
        anyLapse,
        fc.boolean(),
        (ofHolder, ofTaker, talks, stepsAround, lapse, takers) => {
          const time = new TrueTime();
          const holder = new Machine(time, ofHolder);
          const taker = new Machine(time, ofTaker);
          time.troubled = takers ? 1 : 0;
          // The troubled one talks last, so that one lapse lies between two of its responses.
          const order = takers ? [holder, taker] : [taker, holder];
          const turnTo = (frontEndsAheadMs: readonly [number, number]) => {
            [holder.frontEndAheadMs, taker.frontEndAheadMs] = frontEndsAheadMs;
          };
          for (const { rtt, idle, lapse: ownLapse, frontEndsAheadMs } of talks) {
            turnTo(frontEndsAheadMs);
            time.pass(idle, ownLapse);
            for (const machine of order) machine.talk(rtt / 2, rtt / 2, ownLapse);
          }
          const { lease, expiresAt } = granted(holder);
          time.pass(Math.max(0, expiresAt - 1_500 - time.now), lapse);
          for (const { ms, frontEndsAheadMs } of stepsAround) {
            turnTo(frontEndsAheadMs);
            time.pass(ms, honest);
            for (const machine of [holder, taker]) machine.talk(0, ms % 7);
            const valid = lease.remainingMs > 0;
            const mayTake = expiresAt < takeoverBefore(makeContext(taker));
            expect(valid && mayTake).toBe(false);
          }
        },
      ),
    );
  });

  it('I2 property: so do it and a takeover by watching, for any clocks, however far front ends lie apart', () => {
    const aheadMs = fc.integer({ min: -60_000, max: 60_000 });
    const talk = fc.record({ frontEndAheadMs: aheadMs, idle: fc.integer({ min: 0, max: 1_300 }) });
    const seenAfterMs = fc.integer({ min: 0, max: 900 });
    const steps = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 5, maxLength: 20 });
    const arbitraries = [fc.array(talk, { minLength: 1, maxLength: 5 }), seenAfterMs, steps] as const;
    checkProperty(
      fc.property(...arbitraries, anyLapse, fc.boolean(), (talks, seenMs, stepsAround, lapse, takers) => {
        const time = new TrueTime();
        const [holder, taker] = [new Machine(time), new Machine(time)];
        time.troubled = takers ? 1 : 0;
        const talkAll = () => {
          for (const { frontEndAheadMs, idle } of talks) {
            time.pass(idle, honest);
            holder.frontEndAheadMs = frontEndAheadMs;
            holder.talk(1, 1);
          }
        };
        talkAll();
        const { lease } = granted(holder);
        time.pass(seenMs, honest);
        const since = taker.clock.instant();
        time.pass(leaseMs - 2_000, lapse);
        for (const ms of stepsAround) {
          time.pass(ms, honest);
          holder.talk(0, ms % 7);
          const mayTake = elapsedBetween(since, taker.clock.instant()).least >= leaseMs;
          expect(lease.remainingMs > 0 && mayTake).toBe(false);
        }
      }),
    );
  });
});
