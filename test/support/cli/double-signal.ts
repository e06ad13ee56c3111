import type { ChildProcess } from 'node:child_process';

/**
 * Sends SIGINT twice, as a terminal and npm do: so far apart that the system does not make one of them, and nearer
 * than anybody can type.
 */
export function twiceWithinAMillisecond(child: ChildProcess): void {
  child.kill('SIGINT');
  const end = performance.now() + 1;
  while (performance.now() < end);
  child.kill('SIGINT');
}
