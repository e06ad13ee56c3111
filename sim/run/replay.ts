import { traceLine } from '../world/trace.js';
import { play, type Suite, watchForStrays } from './play.js';

/** Plays one seed, with a line for everything that happens if that is wanted. Answers whether no rule was broken. */
export async function replay(
  suite: Suite,
  seed: number,
  options: { readonly trace?: boolean; readonly json?: boolean },
): Promise<boolean> {
  watchForStrays();
  const print = (...line: Parameters<typeof traceLine>) => console.log(traceLine(...line));
  const played = await play(suite, seed, options.trace && !options.json ? print : undefined);
  if (options.json) console.log(JSON.stringify({ suite, ...played }));
  else {
    for (const { rule, what } of played.violations) console.log(`${rule}: ${what}`);
    const verdict = played.violations.length === 0 ? 'no rule was broken' : 'rules were broken';
    console.log(`${suite} seed ${seed}: ${played.records} records, ${verdict}`);
  }
  return played.violations.length === 0;
}
