import { spawn } from 'node:child_process';

/**
 * Waits until its standard input ends, which is when the process that started it is gone, and ends the group: SIGTERM,
 * and after the grace SIGKILL. A group that is stopped takes the first signal only when it goes on.
 */
const script = 'read -r _; kill -s TERM -- "-$1"; kill -s CONT -- "-$1"; sleep "$2"; kill -s KILL -- "-$1"';

/**
 * Sees to it that a process group does not outlive this process by more than the grace: whoever is killed outright can
 * end nobody, and its lease runs out all the same. Disposing of it is for when the group has ended.
 *
 * It is a shell in a session of its own: it holds nothing and wakes for nothing else. Where there is none (Windows, an
 * image without a shell) the command goes unguarded.
 */
export function guardOrphans(groupId: number, graceMs: number): Disposable {
  if (process.platform === 'win32') return { [Symbol.dispose]() {} };
  // Whole seconds: not every `sleep` knows parts of them.
  const graceSeconds = Math.floor(graceMs / 1_000);
  const guard = spawn('/bin/sh', ['-c', script, 'leasehold-run', String(groupId), String(graceSeconds)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  });
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') };
}
