import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { equivalents } from '../../mutants/sample/equivalent.js';
import { isBelow, scoreOf } from '../../mutants/sample/score.js';
import { smallChanges, toDiff, withChange } from '../../mutants/sample/small-change.js';

const source = `import { a } from './a.js';
export async function f(x: number, y = 'k'): Promise<boolean> {
  if (x < 3 && !y) return true;
  first(x);
  await second(x, y);
  return x + 1 > 2;
}
`;

const changed = (operator: string) =>
  smallChanges('lib/f.ts', source)
    .filter((change) => change.operator === operator)
    .map((change) => withChange(source, change));

describe('small changes of a source', () => {
  it.each([
    ['condition', 'if (true as boolean) return true;'],
    ['comparison', 'if (x <= 3 && !y)'],
    ['logic', 'if (x < 3 || !y)'],
    ['logic', 'if (x < 3 && (y))'],
    ['arithmetic', 'return x - 1 > 2;'],
    ['boolean', 'return false;'],
    ['number', 'x < (3 + 1)'],
    ['text', "y = ''"],
    ['statement', '  ;\n  await second(x, y);'],
    ['order', 'await second(x, y);\nfirst(x);'],
    ['await', '  (second(x, y));'],
    ['argument', 'await second(x, undefined as never);'],
  ])('%s: %s', (operator, text) => {
    expect(changed(operator).filter((code) => code.includes(text))).toHaveLength(1);
  });

  it('leaves types and imports alone, and each changes something', () => {
    for (const change of smallChanges('lib/f.ts', source)) {
      const code = withChange(source, change);
      expect(code).not.toBe(source);
      expect(code.startsWith("import { a } from './a.js';\n")).toBe(true);
    }
  });

  it('leaves no argument out that is none', () => {
    const given = (call: string) =>
      smallChanges('lib/f.ts', `${call};\n`).filter(({ operator }) => operator === 'argument');
    expect(given('f(x, undefined)')).toEqual([]);
    expect(given('f(x, undefined, y)')).toHaveLength(1);
    expect(given('f(x, y)')).toHaveLength(1);
  });

  it('swaps no two properties that are set to what is given: neither can tell', () => {
    const body = 'this.#a = a;\n    this.b = b.c;\n    this.d = d();\n    this.#e = this.b;';
    const swaps = smallChanges('lib/f.ts', `class F {\n  constructor(a, b) {\n    ${body}\n  }\n}\n`)
      .filter(({ operator }) => operator === 'order')
      .map(({ replace }) => replace.split('\n')[0]);
    expect(swaps).toEqual(['this.d = d();', 'this.#e = this.b;']);
  });

  it('leaves the number alone of a table whose names count: its type takes no other', () => {
    const numbers = (table: string) =>
      smallChanges('lib/f.ts', `const names = ${table};\n`).filter(({ operator }) => operator === 'number');
    expect(numbers('{ a: 1, ...{ b: 1 } } satisfies Record<keyof A, 1>')).toEqual([]);
    expect(numbers('{ a: 1, b: 1 } satisfies Record<keyof A, number>')).toHaveLength(2);
    expect(numbers('{ a: 1 }')).toHaveLength(1);
  });

  it('leaves the words of messages and descriptions alone, also those that are joined, and no other text', () => {
    const words = `const a = v.pipe(v.string(), v.description('one'), v.description('two, ' + 'three' + x));
const b = new Error('four' + (x ? 'a' : 'b') + 'five');
const c = f('six' + 'seven', { description: 'eight' });
`;
    const texts = smallChanges('lib/f.ts', words).filter(({ operator }) => operator === 'text');
    const of = texts.map(({ start, end }) => words.slice(start, end));
    expect(of).toEqual(["'a'", "'b'", "'six'", "'seven'", "'eight'"]);
  });

  it('shows itself as a diff of its line', () => {
    const [change] = smallChanges('lib/f.ts', source).filter(({ operator }) => operator === 'arithmetic');
    expect(toDiff(source, change!)).toBe(
      'lib/f.ts:6 (arithmetic)\n-   return x + 1 > 2;\n+   return x - 1 > 2;',
    );
  });
});

describe('the score of a sample', () => {
  it('leaves out what is equivalent, and has the interval of Wilson', () => {
    const score = scoreOf('lib/x', 105, 90, 5);
    expect(score.percent).toBeCloseTo(90);
    // Computed by hand from the formula: n = 100, p = 0.9, z = 1.96.
    expect(score.from).toBeCloseTo(82.56, 1);
    expect(score.to).toBeCloseTo(94.48, 1);
  });

  it('is below what is wanted where its whole interval is, of ten mutants at least', () => {
    expect(isBelow(scoreOf('lib/x', 40, 26, 0), 80)).toBe(true);
    expect(isBelow(scoreOf('lib/x', 40, 28, 0), 80)).toBe(false);
    expect(isBelow(scoreOf('lib/x', 10, 0, 0), 80)).toBe(true);
    expect(isBelow(scoreOf('lib/x', 11, 0, 2), 80)).toBe(false);
  });

  it('says nothing of no mutants', () => {
    expect(scoreOf('lib/x', 0, 0, 0)).toMatchObject({ from: 0, to: 100 });
  });
});

describe('a change that is called equivalent', () => {
  it.each(equivalents)('can be made in its file: $line', ({ file, line, reason }) => {
    const source = readFileSync(file, 'utf8');
    const lines = smallChanges(file, source).map((change) => {
      const changed = withChange(source, change);
      const from = changed.lastIndexOf('\n', change.start - 1) + 1;
      return changed.slice(from, changed.indexOf('\n', change.start)).trim();
    });
    expect(lines).toContain(line);
    expect(reason).toMatch(/\.$/);
  });
});
