import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a process with this id is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a condition holds; throws when it does not in time. */
export async function until(condition: () => boolean, what: string, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}

/** The path of a fixture. */
export function fixture(name: string): string {
  return new URL(`./${name}.ts`, import.meta.url).pathname;
}
