import type { Removal } from '../removal.js';

const leaseContext = 'lib/lease/lease-context.ts';
const clockTroubleTests = 'test/engine/client/clock-trouble.test.ts';
const rulesTests = 'test/unit/clock/rules.test.ts';
const storeClock = 'lib/clock/store-clock.ts';
const storeClockTests = 'test/unit/clock/store-clock.test.ts';
const sharedPing = 'lib/lease/lease-context.ts';
const requestCountsTests = 'test/engine/client/request-counts.test.ts';

/** The store clock and the three rules (protocol, section 3), in both directions. */
export const clockRemovals: readonly Removal[] = [
  {
    name: 'clock: a wall clock set ahead puts no lease into the future (C13, I6)',
    file: leaseContext,
    find: 'clock.isSet && isNarrow(clock.now())',
    replace: 'clock.isSet',
    noticedBy: [
      {
        file: clockTroubleTests,
        title:
          'C13 I1 I6 a wall clock set an hour ahead between two requests: neither the lease nor the token lies in the future',
      },
    ],
  },
  {
    name: 'clock: a lease runs for its whole length',
    file: leaseContext,
    find: 'Math.min(latest, earliest + widestIntervalMs) + leaseMs',
    replace: 'Math.min(latest, earliest) + leaseMs',
    noticedBy: [
      {
        file: rulesTests,
        title: 'I2 the granting rule: a lease runs for its whole length at least, by true time',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a holder stops in time (I2)',
    file: 'lib/lease/lease-term.ts',
    find: 'return this.#expiresAt - this.#context.clock.now().latest;',
    replace: 'return this.#expiresAt - this.#context.clock.now().earliest;',
    noticedBy: [
      {
        file: rulesTests,
        title:
          'I2 the holder’s rule: valid only while latest lies before the end, though true time may still do',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a taker does not come early (I2)',
    file: leaseContext,
    find: 'Math.floor(context.clock.now().earliest - context.skewMs)',
    replace: 'Math.floor(context.clock.now().latest - context.skewMs)',
    noticedBy: [
      {
        file: rulesTests,
        title: 'I2 the taker’s rule: earliest decides, though latest lies past the end by a second',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: the store’s front ends may disagree (I2)',
    file: leaseContext,
    find: 'Math.floor(context.clock.now().earliest - context.skewMs)',
    replace: 'Math.floor(context.clock.now().earliest)',
    noticedBy: [
      { file: rulesTests, title: 'I2 the taker leaves room for the skew between the store’s front ends' },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a wall clock that jumps ahead hurries no taker (C15)',
    file: storeClock,
    find: 'least: Math.min(monotonic, wall)',
    replace: 'least: wall',
    noticedBy: [
      {
        file: storeClockTests,
        title:
          'moves earliest by the smaller elapsed time: a wall clock that stepped forward does not hurry it',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a monotonic clock that runs ahead hurries no taker (C15)',
    file: storeClock,
    find: 'least: Math.min(monotonic, wall)',
    replace: 'least: monotonic',
    noticedBy: [
      {
        file: storeClockTests,
        title:
          'moves earliest by the smaller elapsed time: a monotonic clock that ran on alone does not hurry it',
      },
    ],
  },
  {
    name: 'clock: a freeze of the monotonic clock prolongs no lease (C15)',
    file: storeClock,
    find: 'most: Math.max(monotonic, wall)',
    replace: 'most: monotonic',
    noticedBy: [
      {
        file: storeClockTests,
        title:
          'moves latest by the larger elapsed time: a monotonic clock that stood still does not hold it up',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a wall clock that is set back prolongs no lease (C15)',
    file: storeClock,
    find: 'most: Math.max(monotonic, wall)',
    replace: 'most: wall',
    noticedBy: [
      {
        file: storeClockTests,
        title: 'moves latest by the larger elapsed time: a wall clock that was set back does not hold it up',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a slow answer proves less',
    file: storeClock,
    find: 'const proved = { earliest, latest: latest + most };',
    replace: 'const proved = { earliest, latest };',
    noticedBy: [
      {
        file: storeClockTests,
        title: 'counts the time from before the request was sent: a slow answer proves less',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a date of whole seconds names a whole second',
    file: storeClock,
    find: 'latest: date + headerResolutionMs }',
    replace: 'latest: date }',
    noticedBy: [
      {
        file: storeClockTests,
        title:
          'property: true time lies in the interval, whatever the answers, the drift, the freezes and the steps',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: local clocks run a little fast or slow',
    file: storeClock,
    find: 'most: Math.max(monotonic, wall) / (1 - driftBound)',
    replace: 'most: Math.max(monotonic, wall)',
    noticedBy: [{ file: storeClockTests, title: 'widens by the drift bound' }, { suite: 'lock' }],
  },
  {
    name: 'clock: a jump of the store’s clock is got over',
    file: storeClock,
    find: 'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
    replace: 'return { earliest, latest };',
    noticedBy: [
      {
        file: storeClockTests,
        title: 'starts again from the newest response when two contradict each other',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: front ends that disagree end no lease',
    file: storeClock,
    find: 'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
    replace: 'return earliest <= latest ? { earliest, latest } : newest;',
    noticedBy: [
      {
        file: storeClockTests,
        title:
          'front ends that disagree within skewMs are no jump: both bounds stand, and latest does not rise',
      },
      { suite: 'lock' },
    ],
  },
  {
    name: 'clock: a clock that was set while the time was asked for puts no lease into the future (C13, I6)',
    file: leaseContext,
    find: 'const maxPings = 2;',
    replace: 'const maxPings = 1;',
    noticedBy: [
      {
        file: clockTroubleTests,
        title: 'C13 I6 a wall clock set an hour ahead while the time is asked for: it is asked for again',
      },
    ],
  },
  {
    name: 'clock: where nobody tells the time no lease ends hours ahead (C13, I6)',
    file: leaseContext,
    find: 'Math.min(latest, earliest + widestIntervalMs) + leaseMs',
    replace: 'latest + leaseMs',
    noticedBy: [
      {
        file: clockTroubleTests,
        title:
          'C13 D03 I6 a monotonic clock set ahead, and nobody tells the time: a renewal goes on, and ends soon',
      },
    ],
  },
  {
    name: 'clock: a renewal is not cut short by a clock that was set',
    file: 'lib/lease/hold.ts',
    find: 'await this.context.store.ensureTime(signal);',
    replace: '',
    noticedBy: [
      {
        file: clockTroubleTests,
        title:
          'C13 I6 a wall clock set ahead by less than is left of the lease: the renewal asks for the time first',
      },
    ],
  },
  {
    name: 'clock: many acquires at once ask for the time once (I8)',
    file: sharedPing,
    find: 'flights.get(table) ?? takeOff(table)',
    replace: 'takeOff(table)',
    noticedBy: [
      {
        file: requestCountsTests,
        title: 'I8 however many locks a new client takes at once, it asks for the time once',
      },
    ],
  },
  {
    name: 'clock: who aborts takes the answer away from nobody else (C17)',
    file: sharedPing,
    find: 'if (flight.waiting === 0) flight.abandon();',
    replace: 'flight.abandon();',
    noticedBy: [
      {
        file: requestCountsTests,
        title: 'C17 who aborts while the time is asked for takes it away from nobody else',
      },
    ],
  },
  {
    name: 'clock: what nobody waits for is given up (C17)',
    file: sharedPing,
    find: 'if (flight.waiting === 0) flight.abandon();',
    replace: '',
    noticedBy: [
      {
        file: requestCountsTests,
        title: 'C17 when all who need the time have aborted it is not asked for any longer',
      },
    ],
  },
  {
    name: 'clock: earliest moves by the smaller elapsed time',
    file: storeClock,
    find: 'earliest: earliest + least',
    replace: 'earliest: earliest + most',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: latest moves by the larger elapsed time',
    file: storeClock,
    find: 'return { earliest: earliest + least, latest: latest + most }',
    replace: 'return { earliest: earliest + least, latest: latest + least }',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: the smaller elapsed time is widened by the drift bound',
    file: storeClock,
    find: 'least: Math.min(monotonic, wall) / (1 + driftBound)',
    replace: 'least: Math.min(monotonic, wall)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: earliest is the header, not later',
    file: storeClock,
    find: 'const proved = { earliest,',
    replace: 'const proved = { earliest: earliest + most,',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: an empty intersection starts again from the newest sample',
    file: storeClock,
    find: 'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
    replace: 'return earliest - latest <= skewMs ? { earliest, latest } : known;',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: the wall clock’s setting plays no part',
    file: storeClock,
    find: 'const monotonic = Math.max(0, to.monotonicMs - from.monotonicMs);',
    replace: 'const monotonic = Math.max(0, to.wallMs - from.wallMs);',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: the moment of sending is taken before the request',
    file: 'lib/table/dynamo-table.ts',
    find: 'const sentAt = clock.instant();\n      const result = await (args.send ?? next)(args);',
    replace: 'const result = await (args.send ?? next)(args);\n      const sentAt = clock.instant();',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'taker: the skew counts once, not for hours',
    file: leaseContext,
    find: 'Math.floor(context.clock.now().earliest - context.skewMs)',
    replace: 'Math.floor(context.clock.now().earliest - context.skewMs - 20_000)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'clock: after a crash nobody waits for what the holder’s clock did not know (I6)',
    file: leaseContext,
    find: 'Math.max(soonest, expiryFor(context, leaseMs - Math.min(spareMs, leaseMs * countedPart)))',
    replace: 'expiryFor(context, leaseMs)',
    noticedBy: [
      {
        file: 'test/unit/lease/store-time.test.ts',
        title:
          'I6 the end of a lease counts from the skew before the earliest, where that is no more than a tenth',
      },
    ],
  },
  {
    name: 'clock: a lease loses no more than a tenth by that',
    file: leaseContext,
    find: 'Math.max(soonest, expiryFor(context, leaseMs - Math.min(spareMs, leaseMs * countedPart)))',
    replace: 'soonest',
    noticedBy: [
      { suite: 'lock' },
      {
        file: 'test/unit/lease/store-time.test.ts',
        title:
          'I6 the end of a lease counts from the skew before the earliest, where that is no more than a tenth',
      },
    ],
  },
  {
    name: 'grant: a lease is as long as was asked for',
    file: leaseContext,
    find: 'Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs)',
    replace: 'Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs + 20_000)',
    noticedBy: [{ suite: 'lock' }],
  },
  {
    name: 'ttl: a retention behind the end',
    file: leaseContext,
    find: '(atMs + context.retentionMs) / 1000',
    replace: '(atMs + 1_000) / 1000',
    noticedBy: [{ suite: 'lock' }],
  },
];
