import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { smallChanges, withChange } from '../../mutants/sample/small-change.js';
import { isPossible, type Switches, withSwitches } from '../../mutants/sample/switches.js';

/** Says all that it does, so that any change of it can be heard. */
const source = `async function f(say, x) {
  const { a = 'k', b } = { a: say('a'), b: x + 1 };
  if (x < 3 && !b) return say('early');
  say(a ?? 'none');
  say(b);
  await say({ one: 1, two: x > 2 ? 'much' : 'little' }.two);
  say('after', a);
  if (x !== 4) throw new Error(say('thrown'));
  return -2 * x;
}
return f;
`;
const mutants = smallChanges('lib/f.ts', source).map((change, i) => ({ id: String(i), change }));

type F = (say: (...words: unknown[]) => unknown, x: number) => Promise<unknown>;
type Global = { mutants?: Switches };

/** What a function says and how it ends. A statement that waited comes after one that did not. */
async function heard(make: string, on = ''): Promise<readonly string[]> {
  (globalThis as Global).mutants = { on, reached: new Set(), loaded: new Set() };
  const { code } = transformSync(make.replace(/\breturn f;/, 'globalThis.f = f;'), { loader: 'ts' });
  new Function(code)();
  const { f } = globalThis as unknown as { f: F };
  const all: string[] = [];
  for (const x of [-1, 2, 3, 4]) {
    const say = (...words: unknown[]) => all.push(JSON.stringify(words));
    const end = f(say, x).then(
      (value) => all.push(`returns ${value}`),
      (error) => all.push(`throws ${error.message}`),
    );
    all.push('goes on');
    await end;
  }
  return all;
}

describe('changes behind switches', () => {
  it('do nothing while all are off', async () => {
    expect(await heard(withSwitches(source, mutants))).toEqual(await heard(source));
  });

  it('do, one switch on, what the changed text does', async () => {
    const switched = withSwitches(source, mutants);
    for (const { id, change } of mutants) {
      expect(await heard(switched, id)).toEqual(await heard(withChange(source, change)));
    }
    expect(mutants.length).toBeGreaterThan(40);
  });

  it('note which of them the code came by', async () => {
    await heard(withSwitches(source, mutants));
    const { reached } = (globalThis as Global).mutants!;
    const passedBy = mutants.filter(({ id }) => !reached.has(id)).map(({ change }) => change);
    // Defaults that are never needed.
    expect(passedBy.map(({ start, end }) => source.slice(start, end))).toEqual(["'k'", "'none'"]);
  });

  it('note apart what was reached while all was loaded: whoever comes later does not reach it again', async () => {
    const text = `const first = 1;\n${source.replace('-2 * x', 'first')}`;
    const all = smallChanges('lib/f.ts', text).map((change, i) => ({ id: String(i), change }));
    await heard(withSwitches(text, all));
    const { loaded } = (globalThis as Global).mutants!;
    expect(
      [...loaded].map((id) => text.slice(all[Number(id)]!.change.start, all[Number(id)]!.change.end)),
    ).toEqual(['1']);
  });

  it('leave out a change of what takes no expression', async () => {
    const names = "class A { 'some-name'() { return 'x'; } }";
    const possible = await Promise.all(
      smallChanges('lib/a.ts', names).map((change) => isPossible(names, change)),
    );
    expect(possible).toEqual([false, true]);
  });
});
