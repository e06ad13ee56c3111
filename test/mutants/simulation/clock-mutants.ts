import { mutantsOf } from './mutant.js';

/** Section 3, every rule in both directions. */
export const clockMutants = [
  ...mutantsOf('lock', 'lib/clock/store-clock.ts', [
    [
      'clock: earliest moves by the smaller elapsed time',
      'earliest: interval.earliest + least',
      'earliest: interval.earliest + most',
    ],
    [
      'clock: latest moves by the larger elapsed time',
      'latest: interval.latest + most }',
      'latest: interval.latest + least }',
    ],
    [
      'clock: the wall clock counts for the larger elapsed time (a frozen monotonic clock)',
      'most: Math.max(monotonic, wall) / (1 - driftBound)',
      'most: monotonic / (1 - driftBound)',
    ],
    [
      'clock: the monotonic clock counts for the larger elapsed time (a wall clock set back)',
      'most: Math.max(monotonic, wall) / (1 - driftBound)',
      'most: wall / (1 - driftBound)',
    ],
    [
      'clock: the monotonic clock counts for the smaller elapsed time (a wall clock set forward)',
      'least: Math.min(monotonic, wall) / (1 + driftBound)',
      'least: wall / (1 + driftBound)',
    ],
    [
      'clock: the smaller elapsed time is widened by the drift bound',
      'least: Math.min(monotonic, wall) / (1 + driftBound)',
      'least: Math.min(monotonic, wall)',
    ],
    [
      'clock: the larger elapsed time is widened by the drift bound',
      'most: Math.max(monotonic, wall) / (1 - driftBound)',
      'most: Math.max(monotonic, wall)',
    ],
    ['clock: a header names a whole second', 'latest: date + headerResolutionMs }', 'latest: date }'],
    [
      'clock: the time from before the request counts',
      'const proved = { earliest, latest: latest + most };',
      'const proved = { earliest, latest };',
    ],
    [
      'clock: earliest is the header, not later',
      'const proved = { earliest,',
      'const proved = { earliest: earliest + most,',
    ],
    [
      'clock: an empty intersection starts again from the newest sample',
      'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
      'return earliest - latest <= skewMs ? { earliest, latest } : known;',
    ],
    [
      'clock: front ends that disagree within the skew are no jump',
      'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
      'return earliest <= latest ? { earliest, latest } : newest;',
    ],
    [
      'clock: what lies further apart than the skew is a jump',
      'return earliest - latest <= skewMs ? { earliest, latest } : newest;',
      'return { earliest, latest };',
    ],
    [
      'clock: the wall clock’s setting plays no part',
      'const monotonic = Math.max(0, to.monotonicMs - from.monotonicMs);',
      'const monotonic = Math.max(0, to.wallMs - from.wallMs);',
    ],
  ]),
  ...mutantsOf('lock', 'lib/table/date-header.ts', [
    [
      'clock: the moment of sending is taken before the request',
      'const sentAt = clock.instant();\n      const result = await next(args);',
      'const result = await next(args);\n      const sentAt = clock.instant();',
    ],
  ]),
  ...mutantsOf('lock', 'lib/lease/lease-context.ts', [
    [
      'grant: a lease ends leaseMs after the latest store time, not the earliest',
      'Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs)',
      'Math.ceil(Math.min(latest, earliest) + leaseMs)',
    ],
    [
      'taker: by the earliest store time, not the latest',
      'Math.floor(context.clock.now().earliest - context.skewMs)',
      'Math.floor(context.clock.now().latest - context.skewMs)',
    ],
    [
      'taker: less the front ends’ skew',
      'Math.floor(context.clock.now().earliest - context.skewMs)',
      'Math.floor(context.clock.now().earliest)',
    ],
    [
      'taker: the skew counts once, not for hours',
      'Math.floor(context.clock.now().earliest - context.skewMs)',
      'Math.floor(context.clock.now().earliest - context.skewMs - 20_000)',
    ],
    [
      'grant: a lease is as long as was asked for',
      'Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs)',
      'Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs + 20_000)',
    ],
    [
      'grant: a clock that was set forward puts no lease far into the future',
      'Math.ceil(Math.min(latest, earliest + widestIntervalMs) + leaseMs)',
      'Math.ceil(latest + leaseMs)',
    ],
    ['ttl: a retention behind the end', '(atMs + context.retentionMs) / 1000', '(atMs + 1_000) / 1000'],
  ]),
];
