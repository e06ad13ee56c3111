import type { Protection } from './protection.js';

const observed = 'lib/lambda/observability/observed.ts';
const metrics = 'lib/lambda/observability/metrics.ts';
const logs = 'lib/lambda/observability/logs.ts';
const lines = 'lib/lambda/observability/event-logs.ts';
const alarms = 'lib/cdk/observability/leasehold-alarms.ts';
const lockTests = 'test/process/lambda/observability/observed-locks.test.ts';
const noLeaseId = 'never show a lease id: whoever knows it can release the lease';

/** What functions tell of themselves, and what is shown of it. */
export const ofTheObservability: readonly Protection[] = [
  {
    id: 'told-when-thrown',
    what: 'metrics are written also when the handler throws',
    file: observed,
    find: 'for (const end of ends.reverse()) quietly(() => end(failure));',
    replace: 'if (!failure) for (const end of ends.reverse()) quietly(() => end(failure));',
    test: { file: lockTests, name: 'are written also when the handler throws' },
  },
  {
    id: 'told-while-it-lasts',
    what: 'a worker that is killed takes at most a minute of metrics with it',
    file: metrics,
    find: '>= flushEveryMs) flush();',
    replace: '>= flushEveryMs) void flush;',
    test: { file: lockTests, name: 'of a long invocation are written while it lasts' },
  },
  {
    id: 'metrics-switch',
    what: 'metrics can be switched off',
    file: observed,
    find: 'on.metrics && import',
    replace: 'import',
    test: { file: lockTests, name: 'are none when they are switched off' },
  },
  {
    id: 'keys-of-one-invocation',
    what: 'a line does not name the lock of an invocation before',
    file: logs,
    find: '        logger.resetKeys();\n',
    replace: '',
    test: {
      file: 'test/process/lambda/observability/logs.test.ts',
      name: 'what an invocation was about is forgotten with it',
    },
  },
  {
    id: 'no-lease-id-of-a-holder',
    what: 'the log shows no lease id of a holder',
    file: lines,
    find: '          owner: holder.owner,\n',
    replace: '          ...holder,\n',
    test: { file: lockTests, name: noLeaseId },
  },
  {
    id: 'no-lease-id-of-an-error',
    what: 'the log shows no data of errors: lease ids, results',
    file: logs,
    find: 'error: loggedError(error)',
    replace: 'error',
    test: { file: lockTests, name: noLeaseId },
  },
  {
    id: 'no-lease-id-taken-over',
    what: 'the log shows no lease id of who had the lock before',
    file: lines,
    find: '        waitedMs: Math.round(waitedMs),\n        takenOverFrom: holderFields(takenOverFrom),',
    replace: '        waitedMs: Math.round(waitedMs),\n        takenOverFrom,',
    test: { file: lockTests, name: noLeaseId },
  },
  {
    id: 'watching-fails-nothing',
    what: 'an error of what only watches ends no process',
    file: 'lib/lambda/observability/library-events.ts',
    find: '      try {\n        listener(event as never);\n      } catch {',
    replace: '      listener(event as never);\n      try {\n      } catch {',
    test: {
      file: 'test/unit/lambda/observability/library-events.test.ts',
      name: 'a listener that throws disturbs neither the others nor the process',
    },
  },
  {
    id: 'throttles-are-told',
    what: 'throttling that was waited out is told all the same',
    file: 'lib/table/dynamo-table.ts',
    find: 'if (isThrottling(error)) publish(',
    replace: 'if (false) publish(',
    test: {
      file: lockTests,
      name: 'tell of each request that the table throttled, though the lock was granted in the end',
    },
  },
  {
    id: 'quiet-is-good',
    what: 'no alarm rings because nothing happened',
    file: alarms,
    find: 'TreatMissingData.NOT_BREACHING',
    replace: 'TreatMissingData.BREACHING',
    test: {
      file: 'test/process/cdk/leasehold-alarms.test.ts',
      name: 'none rings for want of data: most metrics exist only while something happens',
    },
  },
  {
    id: 'sum-without-all',
    what: 'a service that is silent does not silence the alarm of the others',
    file: alarms,
    find: "names.map((name) => `FILL(${name}, 0)`).join(' + ')",
    replace: "names.join(' + ')",
    test: {
      file: 'test/process/cdk/leasehold-alarms.test.ts',
      name: 'over several services it is their sum, and the longest of their times',
    },
  },
];
