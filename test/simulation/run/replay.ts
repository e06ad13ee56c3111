import { type Suite, watchForStrays } from './play.js';
import { type Reduction, reduce } from './reduce.js';
import { type Told, tell } from './told.js';

/** How to show a schedule. */
export interface ReplayOptions {
  /** A line for everything that happens. */
  readonly trace?: boolean;
  /** Of a schedule that breaks a rule, too, all that happens: not only what leads up to the violation. */
  readonly whole?: boolean;
  readonly json?: boolean;
}

/**
 * Plays one seed. With a trace, and when a rule is broken, the schedule is reduced to the trouble that this takes, so
 * that it can be read. Answers whether no rule was broken.
 */
export async function replay(suite: Suite, seed: number, options: ReplayOptions): Promise<boolean> {
  watchForStrays();
  const { trace, whole, json } = options;
  const told = await tell(suite, seed);
  const { violations, records, draws } = told;
  const isClean = violations.length === 0;
  const shown = !trace ? { ...told, lines: [] } : whole || isClean ? told : await reduced(suite, told);
  if (json) {
    console.log(
      JSON.stringify({ suite, seed, records, draws, violations, ...(trace && { lines: shown.lines }) }),
    );
    return isClean;
  }
  for (const line of shown.lines) console.log(line);
  for (const { rule, what } of shown.violations) console.log(`${rule}: ${what}`);
  if ('replays' in shown) {
    console.log(
      `${shown.lines.length} of ${told.lines.length} lines, with as little trouble as ${shown.replays} replays could find ` +
        'to do; --whole prints all of it, as it was drawn',
    );
  }
  console.log(`${suite} seed ${seed}: ${records} records, ${isClean ? 'no rule was' : 'rules were'} broken`);
  return isClean;
}

/** What leads up to the violation, with little else. */
async function reduced(
  suite: Suite,
  whole: Told,
): Promise<Pick<Reduction, 'lines' | 'violations' | 'replays'>> {
  const note = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${text}`);
  const { lines, leading, violations, replays } = await reduce(
    whole,
    (spared) => tell(suite, whole.seed, spared),
    (tried) => tried % 50 === 0 && note(`reducing: ${tried} replays`),
  );
  note('');
  return { lines: lines.slice(0, leading), violations, replays };
}
