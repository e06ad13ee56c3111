import { transform } from 'esbuild';
import { type SmallChange, withChange } from './small-change.js';

/** A change that is drawn, with the name by which it is switched on. */
export interface Mutant {
  readonly id: string;
  readonly change: SmallChange;
}

/**
 * What a switched file begins with, on its first line, so that lines keep their numbers. Which mutant is on is told by a
 * global, or by the environment before anything is loaded; which ones were reached is noted where somebody wants to know.
 */
const header = [
  'const mutants$ = (globalThis as any).mutants ??=',
  "{ on: process.env.LEASEHOLD_MUTANT ?? '', reached: new Set(), loaded: new Set() };",
  'const on$ = (id: string) => (mutants$.reached.add(id), mutants$.on === id);',
  'const before$ = new Set(mutants$.reached);',
  '',
].join(' ');

/** What it ends with: what was reached so far was reached while the file was loaded, which is done once for many tests. */
const footer = 'for (const id of mutants$.reached) if (!before$.has(id)) mutants$.loaded.add(id);\n';

/** The global by which mutants are switched on and tell that they were reached. */
export interface Switches {
  readonly on: string;
  readonly reached: Set<string>;
  readonly loaded: Set<string>;
}

/** What is put into a source, before or after an expression or statement of this size. */
interface Insertion {
  readonly at: number;
  readonly text: string;
  readonly isBefore: boolean;
  readonly size: number;
}

/**
 * Puts all changes of a file into it at once, each behind a switch that is off: what loads it once can run any of them.
 *
 * @param source the file's text
 * @param mutants all of that file
 */
export function withSwitches(source: string, mutants: readonly Mutant[]): string {
  const insertions = mutants.flatMap((mutant) => insertionsOf(source, mutant));
  // What ends comes before what begins; of what begins the largest comes first, of what ends the smallest.
  insertions.sort(
    (a, b) =>
      a.at - b.at ||
      Number(a.isBefore) - Number(b.isBefore) ||
      (a.isBefore ? b.size - a.size : a.size - b.size),
  );
  let text = header;
  let at = 0;
  for (const insertion of insertions) {
    text += source.slice(at, insertion.at) + insertion.text;
    at = insertion.at;
  }
  return `${text}${source.slice(at)}\n${footer}`;
}

function insertionsOf(source: string, { id, change }: Mutant): readonly Insertion[] {
  const [start, end] = change.around;
  const before = (text: string) => ({ at: start, text, isBefore: true, size: end - start });
  const after = (text: string, at = end) => ({ at, text, isBefore: false, size: at - start });
  const on = `on$('${id}')`;
  if (change.operator === 'statement') return [before(`if (!${on}) { `), after(' }')];
  if (change.operator === 'order') {
    const moved = after(` if (${on}) { ${source.slice(start, end)} }`, change.end);
    return [before(`if (!${on}) { `), after(' }'), moved];
  }
  const changed = withChange(source, change).slice(
    start,
    end + change.replace.length - (change.end - change.start),
  );
  return [before(`(${on} ? (${changed}) : (`), after('))')];
}

/** Whether a change can be made at all: not every place takes an expression in brackets. */
export async function isPossible(source: string, change: SmallChange): Promise<boolean> {
  return transform(withSwitches(source, [{ id: '0', change }]), { loader: 'ts', logLevel: 'silent' }).then(
    () => true,
    () => false,
  );
}
