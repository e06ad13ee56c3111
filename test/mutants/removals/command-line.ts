import type { Removal } from '../removal.js';

const interruption = 'bin/terminal/interruption.ts';
const interruptionTests = 'test/unit/terminal/interruption.test.ts';
const runOptions = 'bin/cli/run/run-options.ts';
const runOptionsTests = 'test/unit/cli/run-options.test.ts';

/** Signals, and how `run` divides a lease. */
export const commandLineRemovals: readonly Removal[] = [
  {
    name: 'command line: two signals a moment apart are one wish (D22)',
    file: interruption,
    find: '    if (!counts()) return;\n',
    replace: '',
    noticedBy: [
      {
        file: interruptionTests,
        title: 'D22 aborts once for two signals of a service manager, and says which came first',
      },
    ],
  },
  {
    name: 'command line: also where all is put away by then (D22)',
    file: interruption,
    find: 'if (leftMs > 0) setTimeout(forget, leftMs).unref();',
    replace: 'if (leftMs > 0) forget();',
    noticedBy: [
      {
        file: interruptionTests,
        title: 'D22 takes the second of two signals although all is put away by then',
      },
    ],
  },
  {
    name: 'command line: the command is told a grace and a kill before the lease ends (D23)',
    file: runOptions,
    find: 'Math.max(graceMs + killMs, leaseMs * defaults.safetyMarginFraction)',
    replace: 'Math.max(0, leaseMs * defaults.safetyMarginFraction)',
    noticedBy: [
      {
        file: runOptionsTests,
        title:
          'D23 D51 keeps every accepted pair: renewals fit, and the signal comes a grace and a kill before the end',
      },
    ],
  },
  {
    name: 'command line: a lease has room for its grace (D51)',
    file: runOptions,
    find: '  if (leaseMs < minRenewalMs + graceMs + killMs) throw tooShort(leaseMs, grace);\n',
    replace: '',
    noticedBy: [
      { file: runOptionsTests, title: 'D23 D51 refuses what does not go together, with the arithmetic' },
    ],
  },
  {
    name: 'command line: no command outlives a run that is killed (D23)',
    file: 'bin/cli/run/run.ts',
    find: '  using _guard = guardOrphans(group.id, graceMs);\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/process/cli/run-signals.test.ts',
        title:
          'D23 killed outright, it leaves no command behind that ignores SIGTERM when another holder has the lock',
      },
    ],
  },
  {
    name: 'command line: a signal that comes while the command is being started is kept for it (C44)',
    file: 'bin/cli/run/signal-relay.ts',
    find: '        else this.#kept.push(signal);\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/cli/signal-relay.test.ts',
        title: 'C44 keeps what is the command’s alone until the command has started',
      },
    ],
  },
  {
    name: 'command line: AWS_CA_BUNDLE is trusted behind a proxy, too (D27)',
    file: 'lib/aws/environment-agents.ts',
    find: 'httpsAgent: new TunnellingAgent({ ...connections, ...trust }, env),',
    replace: 'httpsAgent: new TunnellingAgent({ ...connections }, env),',
    noticedBy: [
      {
        file: 'test/process/cli/proxy.test.ts',
        title: 'D27 goes through HTTPS_PROXY, and trusts AWS_CA_BUNDLE',
      },
    ],
  },
  {
    name: 'command line: the lock is given back when all that ran under it has ended (C44)',
    file: 'bin/cli/run/run.ts',
    find: '  await ending;\n  await release(lease, options);',
    replace: '  await release(lease, options);',
    noticedBy: [
      {
        file: 'test/process/cli/run-signals.test.ts',
        title:
          'C44 C36 stopped and woken in danger, it gives the lock back when all that it started has had its grace',
      },
    ],
  },
];
