import { describe, expect, it } from 'vitest';
import { compared, type Excuse } from '../../mutants/stryker/compare.js';
import { withFigures } from '../../mutants/stryker/page.js';
import { type StrykerReport, scoresOf, survivorsOf } from '../../mutants/stryker/report.js';

const at = (line: number, column: number) => ({ line, column });
const mutant = (status: string, start = at(2, 7), end = at(2, 12), replacement = 'a <= b') => ({
  mutatorName: 'EqualityOperator',
  replacement,
  status,
  location: { start, end },
});
const report: StrykerReport = {
  files: {
    'lib/x.ts': {
      source: 'const\n  if (a < b) {\n    run();\n  }\n',
      mutants: [
        ...['Killed', 'Killed', 'Timeout', 'Survived', 'CompileError', 'Ignored'].map((status) =>
          mutant(status),
        ),
        mutant('NoCoverage', at(2, 14), at(4, 4), '{}'),
      ],
    },
  },
};
const first = { file: 'lib/x.ts', line: 'if (a < b) {', from: 'a < b', to: 'a <= b' };
const second = { file: 'lib/x.ts', line: 'if (a < b) {', from: '{ run(); }', to: '{}' };

describe('the report of a mutation run', () => {
  it('counts what was noticed, time-outs among it, and names what was not by its texts', () => {
    expect(survivorsOf(report)).toEqual([first, second]);
    const score = { detected: 3, timedOut: 1, survived: 2, percent: 60 };
    expect(scoresOf(report)).toEqual([
      { file: 'lib/x.ts', ...score },
      { file: 'all', ...score },
    ]);
  });

  it('demands a reason for each survivor, and a survivor for each reason', () => {
    const excuse: Excuse = { ...first, reason: 'the same' };
    const old: Excuse = { ...first, to: 'a > b', reason: 'was the same' };
    const elsewhere: Excuse = { ...old, file: 'lib/y.ts' };
    expect(compared([first, second], [excuse, old, elsewhere], ['lib/x.ts'])).toEqual({
      unexplained: [second],
      outdated: [old],
    });
    expect(compared([first], [excuse], ['lib/x.ts'])).toEqual({ unexplained: [], outdated: [] });
  });

  it('writes its figures between the marks of the page, and nothing else', () => {
    const [begin, end] = ['<!-- figures: written by npm run mutation -->', '<!-- end of the figures -->'];
    const page = `before\n${begin}\nold\n${end}\nafter\n`;
    const written = withFigures(page, scoresOf(report), [first], [{ ...first, reason: 'the same' }]);
    expect(written.startsWith(`before\n${begin}\n`)).toBe(true);
    expect(written.endsWith(`${end}\nafter\n`)).toBe(true);
    expect(written).toContain('| `lib/x.ts` | 60.00 | 5 | 3 | 1 | 2 |');
    expect(written).toContain('- `a < b` → `a <= b` in `if (a < b) {`: the same');
    expect(written).not.toContain('old');
    expect(withFigures(written, scoresOf(report), [first], [{ ...first, reason: 'the same' }])).toBe(written);
    expect(() => withFigures('nothing', [], [], [])).toThrow('no place');
  });
});
