import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for something that no event tells. The limit only keeps a failing test from hanging.
 *
 * @throws Error when it has not come true within the limit
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 40_000,
): Promise<void> {
  for (const end = Date.now() + limitMs; !(await condition()); await sleep(10)) {
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
  }
}

/** Long enough for many polls or heartbeats: for showing that nothing more comes. */
export function aWhile(): Promise<void> {
  return sleep(300);
}
