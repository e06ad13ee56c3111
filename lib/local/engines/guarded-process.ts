import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type RequestOptions, request } from 'node:http';
import type { Readable } from 'node:stream';

const stopLimitMs = 5_000;
const keptOutputBytes = 4_096;

/** A child that can't outlive this process. */
export interface GuardedProcess {
  readonly pid: number | undefined;
  /** Resolves, never rejects, as soon as the child is gone. */
  readonly exited: Promise<void>;
  /** The end of what the child wrote to both its outputs, at most some KB. */
  output(): string;
  /** Resolves with the first match in the output; rejects if the child ends or the signal fires before. */
  firstMatch(pattern: RegExp, signal: AbortSignal): Promise<RegExpExecArray>;
  /** Ends the child and waits for it: first by closing its stdin, after five seconds by SIGKILL. */
  stop(): Promise<void>;
}

/**
 * Starts a command that ends when its stdin closes.
 *
 * The guard is that pipe: the kernel closes this process's end of it however this process dies, SIGKILL
 * included, so no exit hook is needed. The child gets its own process group, so that a Ctrl-C in a terminal
 * reaches this process alone and the engine is still there while it cleans up.
 *
 * @param command executable; it must watch its stdin itself (see {@link endWithStdin}).
 */
export function startGuarded(command: string, args: readonly string[]): GuardedProcess {
  const child = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // Ended on its own: whoever else watches that pipe ends, too.
  exited.then(() => child.stdin.destroy());
  let output = '';
  const listeners = new Set<() => void>();
  const take = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-keptOutputBytes);
    for (const listener of [...listeners]) listener();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', take);
    unref(stream);
  }
  child.once('error', take);
  child.stdin.on('error', () => {});
  unref(child.stdin);
  child.unref();

  return {
    pid: child.pid,
    exited,
    output: () => output,
    firstMatch: (pattern, signal) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void): void => {
          listeners.delete(look);
          signal.removeEventListener('abort', onAbort);
          act();
        };
        const look = (): void => {
          const match = pattern.exec(output);
          if (match) settle(() => resolve(match));
        };
        const onAbort = (): void => settle(() => reject(signal.reason));
        listeners.add(look);
        signal.addEventListener('abort', onAbort, { once: true });
        exited.then(() => settle(() => reject(new Error(`ended before it was ready: ${output.trim()}`))));
        if (signal.aborted) onAbort();
        look();
      }),
    stop: () => stopChild(child, exited),
  };
}

/**
 * Makes any POSIX command end when stdin closes: a shell waits for the command, a second one for stdin.
 *
 * @returns command and arguments for {@link startGuarded}.
 */
export function endWithStdin(command: string, args: readonly string[]): [string, string[]] {
  const script = [
    'exec 3<&0',
    '"$@" </dev/null 3<&- &',
    'engine=$!',
    '{ cat <&3 >/dev/null; kill -9 $engine; } >/dev/null 2>&1 &',
    'exec 3<&- </dev/null',
    'wait $engine',
  ].join('\n');
  return ['/bin/sh', ['-c', script, 'leasehold-engine', command, ...args]];
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const alive = child.exitCode === null && child.signalCode === null && child.pid !== undefined;
  if (alive) {
    const drained = once(child, 'close').catch(() => {});
    child.ref();
    child.stdin?.destroy();
    const killer = setTimeout(() => {
      // The whole group, as the command may sit behind a shell.
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // Gone in the meantime.
      }
    }, stopLimitMs);
    await exited;
    clearTimeout(killer);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    await drained;
  }
  await exited;
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

/** Pipes of a child are sockets, though their type says streams. */
function unref(stream: unknown): void {
  (stream as Readable & { unref?: () => void }).unref?.();
}

/**
 * Asks an HTTP server for one path.
 *
 * @param target where to, in the terms of `node:http`.
 * @param timeoutMs bound for the whole exchange.
 * @returns the status, or `undefined` when there was no answer in time.
 */
export function toStatus(target: RequestOptions, timeoutMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const asked = request({ ...target, agent: false, signal: limit }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
      response.once('error', () => resolve(undefined));
    });
    asked.once('error', () => resolve(undefined));
    asked.end();
  });
}
