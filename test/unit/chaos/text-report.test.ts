import { describe, expect, it } from 'vitest';
import { faultKinds } from '../../chaos/faults/fault.js';
import { skippedFaults } from '../../chaos/faults/skipped-faults.js';
import { figuresOf } from '../../chaos/report/figures.js';
import type { ChaosReport } from '../../chaos/report/report.js';
import { textReport } from '../../chaos/report/text-report.js';
import { HandMadeHistory } from '../../support/chaos/hand-made-history.js';

const { history } = new HandMadeHistory()
  .granted('a', 'plain/0', 1, [0, 10])
  .added('a', 'plain/0', 'x', 1, [10, 20])
  .added('b', 'plain/0', 'y', 2, [10]);

const report: ChaosReport = {
  seed: 1,
  minutes: 1,
  interrupted: false,
  engine: 'by hand',
  workers: { at: 2, processesStarted: 3 },
  faults: {
    total: 22,
    struck: Object.fromEntries(faultKinds.map((kind) => [kind, 2])) as ChaosReport['faults']['struck'],
    skipped: { 'wall-step': 'libfaketime is not installed' },
  },
  ...figuresOf({
    history,
    sets: new Map(),
    verdicts: [],
    walked: { keys: new Set(), digest: '' },
    ownEnds: [],
  }),
  violations: [{ kind: 'two-holders', what: 'both were in', evidence: [{ source: 'a.jsonl:1' }] }],
};

describe('the report', () => {
  it('names what was skipped and why, what was lost without a fence, and each violation with its lines', () => {
    const text = textReport(report, 'plain');

    expect(text).toMatch(/wall-step .* skipped: libfaketime is not installed/);
    expect(text).toMatch(/^kill .* 2$/m);
    expect(text).toContain('1 updates acknowledged, 1 unknown, 1 LOST');
    expect(text).toContain('violations: 1\n  two-holders: both were in\n    {"source":"a.jsonl:1"}');
  });

  it('skips by name what this machine can not do', () => {
    const engine = { noRestart: 'it keeps no data' };

    expect(skippedFaults(engine, [{ wallClock: undefined }])).toEqual({
      'wall-step': 'libfaketime is not installed',
      'wall-rate': 'libfaketime is not installed',
      'restart-engine': 'it keeps no data',
    });
  });
});
