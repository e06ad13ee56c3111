import type { Removal } from '../removal.js';

const observed = 'lib/lambda/observability/observed.ts';
const observedLocksTests = 'test/process/lambda/observability/observed-locks.test.ts';
const logs = 'lib/lambda/observability/logs.ts';
const leaseholdAlarms = 'lib/cdk/observability/leasehold-alarms.ts';
const leaseholdAlarmsTests = 'test/process/cdk/leasehold-alarms.test.ts';

/** What functions tell of themselves, and what is shown of it. */
export const observabilityRemovals: readonly Removal[] = [
  {
    name: 'observability: metrics are written also when the handler throws',
    file: observed,
    find: 'for (const end of ends.reverse()) quietly(() => end(failure));',
    replace: 'if (!failure) for (const end of ends.reverse()) quietly(() => end(failure));',
    noticedBy: [{ file: observedLocksTests, title: 'are written also when the handler throws' }],
  },
  {
    name: 'observability: a worker that is killed takes at most a minute of metrics with it',
    file: 'lib/lambda/observability/metrics.ts',
    find: '>= flushEveryMs) flush();',
    replace: '>= flushEveryMs) void flush;',
    noticedBy: [{ file: observedLocksTests, title: 'of a long invocation are written while it lasts' }],
  },
  {
    name: 'observability: metrics can be switched off',
    file: observed,
    find: 'on.metrics && metrics',
    replace: 'metrics',
    noticedBy: [{ file: observedLocksTests, title: 'are none when they are switched off' }],
  },
  {
    name: 'observability: a line does not name the lock of an invocation before',
    file: logs,
    find: '        logger.resetKeys();\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/process/lambda/observability/logs.test.ts',
        title: 'what an invocation was about is forgotten with it',
      },
    ],
  },
  {
    name: 'observability: the log shows no lease id of a holder',
    file: logs,
    find: '          owner: holder.owner,\n',
    replace: '          ...holder,\n',
    noticedBy: [
      { file: observedLocksTests, title: 'never show a lease id: whoever knows it can release the lease' },
    ],
  },
  {
    name: 'observability: the log shows no data of errors: lease ids, results',
    file: logs,
    find: "'invocation failed', { error: loggedError(error) }",
    replace: "'invocation failed', { error }",
    noticedBy: [
      { file: observedLocksTests, title: 'never show a lease id: whoever knows it can release the lease' },
    ],
  },
  {
    name: 'observability: the log shows no lease id of who had the lock before',
    file: logs,
    find: '        waitedMs: Math.round(waitedMs),\n        takenOverFrom: holderFields(takenOverFrom),',
    replace: '        waitedMs: Math.round(waitedMs),\n        takenOverFrom,',
    noticedBy: [
      { file: observedLocksTests, title: 'never show a lease id: whoever knows it can release the lease' },
    ],
  },
  {
    name: 'observability: an error of what only watches ends no process',
    file: 'lib/lambda/observability/library-events.ts',
    find: '      try {\n        listener(event as never);\n      } catch {',
    replace: '      listener(event as never);\n      try {\n      } catch {',
    noticedBy: [
      {
        file: 'test/unit/lambda/observability/library-events.test.ts',
        title: 'a listener that throws disturbs neither the others nor the process',
      },
    ],
  },
  {
    name: 'observability: throttling that was waited out is told all the same',
    file: 'lib/table/store-errors.ts',
    find: 'if (isThrottling(error)) publish(',
    replace: 'if (false) publish(',
    noticedBy: [
      {
        file: observedLocksTests,
        title: 'tell of each request that the table throttled, though the lock was granted in the end',
      },
    ],
  },
  {
    name: 'observability: no alarm rings because nothing happened',
    file: leaseholdAlarms,
    find: 'TreatMissingData.NOT_BREACHING',
    replace: 'TreatMissingData.BREACHING',
    noticedBy: [
      {
        file: leaseholdAlarmsTests,
        title: 'none rings for want of data: most metrics exist only while something happens',
      },
    ],
  },
  {
    name: 'observability: a service that is silent does not silence the alarm of the others',
    file: leaseholdAlarms,
    find: "names.map((name) => `FILL(${name}, 0)`).join(' + ')",
    replace: "names.join(' + ')",
    noticedBy: [
      {
        file: leaseholdAlarmsTests,
        title: 'over several services it is their sum, and the longest of their times',
      },
    ],
  },
  {
    name: 'observability: channels are kept, or Node 20 loses who subscribes a moment after one was collected',
    file: 'lib/events/events.ts',
    find: '  channels.set(name, known);\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/events/subscribers.test.ts',
        title: 'of a lease is told, also a moment after what nobody heard was put away',
      },
    ],
  },
];
