import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodeOfSignal } from '../../terminal/interruption.js';

/** How the command ended. */
export interface CommandEnd {
  /** Its own, or 128 and the signal's number. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
}

/** How often to look whether a process group is empty by now, in milliseconds: no event tells it. */
const lookEveryMs = 25;

const hasGroups = process.platform !== 'win32';

/**
 * A command that runs, with all that it starts: a process group of its own, which signals reach as a whole. Node can
 * make one only together with a session of its own (`setsid`), so the command has no controlling terminal: it reads
 * and writes the terminal, and Ctrl-C reaches it through us, but `/dev/tty` is closed to it.
 */
export class CommandGroup {
  /** Of the command itself; what it left running may still be there. */
  readonly ended: Promise<CommandEnd>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = once(child, 'exit').then(() => {
      const { exitCode, signalCode } = child;
      return { exitCode: signalCode ? exitCodeOfSignal(signalCode) : (exitCode ?? 0), signal: signalCode };
    });
  }

  /**
   * Starts a command on the streams of this process.
   *
   * @param command the program, found by the PATH, and its arguments; no shell reads them
   * @param env added to the environment
   * @throws the operating system's error when it can't be started
   */
  static async start(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<CommandGroup> {
    const [program, ...args] = command as [string, ...string[]];
    const child = spawn(program, args, {
      stdio: 'inherit',
      detached: hasGroups,
      env: { ...process.env, ...env },
    });
    const group = new CommandGroup(child);
    // Its rejection is the same error, for whoever awaits it.
    group.ended.catch(() => {});
    await once(child, 'spawn');
    return group;
  }

  /** The group's id. */
  get id(): number {
    return this.#child.pid!;
  }

  /** Sends a signal to every process of the group. Answers whether there was one. */
  signal(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    if (!hasGroups) return this.#child.kill(signal);
    try {
      return process.kill(-pid, signal);
    } catch (error) {
      // Errors of the operating system all have the same name. EPERM: of those left none may be signalled by us.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ESRCH' || code === 'EPERM') return false;
      throw error;
    }
  }

  /**
   * Ends all of it: SIGTERM, and after the grace SIGKILL for what is left. Resolves when nothing is left to signal.
   *
   * @param graceMs 0: there is no time left, and none of it runs a moment longer
   */
  async end(graceMs: number): Promise<void> {
    if (graceMs > 0) {
      this.signal('SIGTERM');
      // A group that is stopped takes the first signal only when it goes on.
      this.signal('SIGCONT');
    }
    for (const end = performance.now() + graceMs; this.signal(0); ) {
      const leftMs = end - performance.now();
      if (leftMs <= 0) break;
      await sleep(Math.min(lookEveryMs, leftMs));
    }
    this.signal('SIGKILL');
  }
}
