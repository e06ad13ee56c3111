import type { Protection } from './protection.js';

const clock = 'lib/clock/store-clock.ts';
const clockTests = 'test/unit/clock/store-clock.test.ts';
const ruleTests = 'test/unit/clock/rules.test.ts';
const leaseContext = 'lib/lease/lease-context.ts';
const sharedPing = 'lib/lease/shared-ping.ts';
const clockTrouble = 'test/engine/client/clock-trouble.test.ts';
const countTests = 'test/engine/client/request-counts.test.ts';

/** The store clock and the three rules (protocol, section 3). */
export const ofTheClocks: readonly Protection[] = [
  {
    id: 'narrow-first',
    what: 'a wall clock set ahead puts no lease into the future (C13, I6)',
    file: leaseContext,
    find: 'clock.isSet && measureWidth(clock.now()) <= widestIntervalMs',
    replace: 'clock.isSet',
    test: {
      file: clockTrouble,
      name: 'C13 I1 I6 a wall clock set an hour ahead between two requests: neither the lease nor the token lies in the future',
    },
  },
  {
    id: 'granter-latest',
    what: 'a lease runs for its whole length',
    file: leaseContext,
    find: 'Math.min(latest, earliest + widestIntervalMs) + leaseMs',
    replace: 'Math.min(latest, earliest) + leaseMs',
    test: {
      file: ruleTests,
      name: 'I2 the granting rule: a lease runs for its whole length at least, by true time',
    },
  },
  {
    id: 'holder-latest',
    what: 'a holder stops in time (I2)',
    file: 'lib/lease/lease-term.ts',
    find: 'return this.#expiresAt - this.#context.clock.now().latest;',
    replace: 'return this.#expiresAt - this.#context.clock.now().earliest;',
    test: {
      file: ruleTests,
      name: 'I2 the holder’s rule: valid only while latest lies before the end, though true time may still do',
    },
  },
  {
    id: 'taker-earliest',
    what: 'a taker does not come early (I2)',
    file: leaseContext,
    find: 'Math.floor(context.clock.now().earliest - context.skewMs)',
    replace: 'Math.floor(context.clock.now().latest - context.skewMs)',
    test: {
      file: ruleTests,
      name: 'I2 the taker’s rule: earliest decides, though latest lies past the end by a second',
    },
  },
  {
    id: 'taker-skew',
    what: 'the store’s front ends may disagree (I2)',
    file: leaseContext,
    find: 'Math.floor(context.clock.now().earliest - context.skewMs)',
    replace: 'Math.floor(context.clock.now().earliest)',
    test: { file: ruleTests, name: 'I2 the taker leaves room for the skew between the store’s front ends' },
  },
  {
    id: 'least-wall',
    what: 'a wall clock that jumps ahead hurries no taker (C15)',
    file: clock,
    find: 'least: Math.min(monotonic, wall)',
    replace: 'least: wall',
    test: {
      file: clockTests,
      name: 'moves earliest by the smaller elapsed time: a wall clock that stepped forward does not hurry it',
    },
  },
  {
    id: 'least-monotonic',
    what: 'a monotonic clock that runs ahead hurries no taker (C15)',
    file: clock,
    find: 'least: Math.min(monotonic, wall)',
    replace: 'least: monotonic',
    test: {
      file: clockTests,
      name: 'moves earliest by the smaller elapsed time: a monotonic clock that ran on alone does not hurry it',
    },
  },
  {
    id: 'most-monotonic',
    what: 'a freeze of the monotonic clock prolongs no lease (C15)',
    file: clock,
    find: 'most: Math.max(monotonic, wall)',
    replace: 'most: monotonic',
    test: {
      file: clockTests,
      name: 'moves latest by the larger elapsed time: a monotonic clock that stood still does not hold it up',
    },
  },
  {
    id: 'most-wall',
    what: 'a wall clock that is set back prolongs no lease (C15)',
    file: clock,
    find: 'most: Math.max(monotonic, wall)',
    replace: 'most: wall',
    test: {
      file: clockTests,
      name: 'moves latest by the larger elapsed time: a wall clock that was set back does not hold it up',
    },
  },
  {
    id: 'from-before-request',
    what: 'a slow answer proves less',
    file: clock,
    find: 'latest: latest + most',
    replace: 'latest: latest + most * 0',
    test: {
      file: clockTests,
      name: 'counts the time from before the request was sent: a slow answer proves less',
    },
  },
  {
    id: 'header-resolution',
    what: 'a date of whole seconds names a whole second',
    file: clock,
    find: 'const headerResolutionMs = 1000;',
    replace: 'const headerResolutionMs = 0;',
    test: {
      file: clockTests,
      name: 'property: true time lies in the interval, whatever the answers, the drift, the freezes and the steps',
    },
  },
  {
    id: 'drift',
    what: 'local clocks run a little fast or slow',
    file: clock,
    find: 'most: Math.max(monotonic, wall) / (1 - driftBound)',
    replace: 'most: Math.max(monotonic, wall)',
    test: { file: clockTests, name: 'widens by the drift bound' },
  },
  {
    id: 'restart',
    what: 'a jump of the store’s clock is got over',
    file: clock,
    find: 'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
    replace: 'return { earliest, latest };',
    test: {
      file: clockTests,
      name: 'starts again from the newest response when two contradict each other',
    },
  },
  {
    id: 'skew-is-no-jump',
    what: 'front ends that disagree end no lease',
    file: clock,
    find: 'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
    replace: 'return earliest <= latest ? { earliest, latest } : newest;',
    test: {
      file: clockTests,
      name: 'front ends that disagree within skewMs are no jump: both bounds stand, and latest does not rise',
    },
  },
  {
    id: 'ask-again',
    what: 'a clock that was set while the time was asked for puts no lease into the future (C13, I6)',
    file: leaseContext,
    find: 'const maxPings = 2;',
    replace: 'const maxPings = 1;',
    test: {
      file: clockTrouble,
      name: 'C13 I6 a wall clock set an hour ahead while the time is asked for: it is asked for again',
    },
  },
  {
    id: 'widest',
    what: 'where nobody tells the time no lease ends hours ahead (C13, I6)',
    file: leaseContext,
    find: 'Math.min(latest, earliest + widestIntervalMs) + leaseMs',
    replace: 'latest + leaseMs',
    test: {
      file: clockTrouble,
      name: 'C13 I6 a wall clock set ahead, and nobody tells the time: the lease ends soon all the same, and is held',
    },
  },
  {
    id: 'narrow-before-renewal',
    what: 'a renewal is not cut short by a clock that was set',
    file: 'lib/lease/lease.ts',
    find: 'await this.#context.store.ensureTime(signal);',
    replace: '',
    test: {
      file: clockTrouble,
      name: 'C13 I6 a wall clock set ahead by less than is left of the lease: the renewal asks for the time first',
    },
  },
  {
    id: 'one-ping',
    what: 'many acquires at once ask for the time once (I8)',
    file: sharedPing,
    find: 'flights.get(table) ?? takeOff(table)',
    replace: 'takeOff(table)',
    test: {
      file: countTests,
      name: 'I8 however many locks a new client takes at once, it asks for the time once',
    },
  },
  {
    id: 'ping-for-the-others',
    what: 'who aborts takes the answer away from nobody else (C17)',
    file: sharedPing,
    find: 'if (flight.waiting === 0) flight.abandon();',
    replace: 'flight.abandon();',
    test: {
      file: countTests,
      name: 'C17 who aborts while the time is asked for takes it away from nobody else',
    },
  },
  {
    id: 'ping-abandoned',
    what: 'what nobody waits for is given up (C17)',
    file: sharedPing,
    find: 'if (flight.waiting === 0) flight.abandon();',
    replace: '',
    test: {
      file: countTests,
      name: 'C17 when all who need the time have aborted it is not asked for any longer',
    },
  },
];
