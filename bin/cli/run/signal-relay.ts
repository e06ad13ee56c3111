import { exitCodeOfSignal, listenToSignals, wishCounter } from '../../terminal/interruption.js';
import type { CommandGroup } from './command-group.js';

/** These end a wait for the lock; while the command runs they are passed on, and it decides. */
const ending = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** These mean something to commands only. */
const forTheCommand = ['SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

/** Ctrl-Z, and what continues after it. */
const jobControl = ['SIGTSTP', 'SIGCONT'] as const;

const hasJobControl = process.platform !== 'win32';

/**
 * The signals of this process: before the command runs they interrupt, from then on they are passed on to its group.
 * Ctrl-Z stops the group along with this process, since the group is not the terminal's own.
 */
export class SignalRelay implements Disposable {
  readonly #interruption = new AbortController();
  readonly #listening: Disposable[] = [];
  /** Before the command runs all of them mean the same. */
  readonly #interrupts = wishCounter();
  /** Came while the command was being started. */
  readonly #kept: NodeJS.Signals[] = [];
  #beforeContinuing = () => {};
  #group: CommandGroup | undefined;
  #interruptedBy: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of ending) {
      // Signals of different names are different wishes once there is a command to tell them apart.
      const counts = wishCounter();
      this.#on(signal, () => counts() && this.#onEnding(signal));
    }
  }

  /** Aborts at the first signal that comes before the command runs. */
  get interruption(): AbortSignal {
    return this.#interruption.signal;
  }

  /** The signal that interrupted, if one did. */
  get interruptedBy(): NodeJS.Signals | undefined {
    return this.#interruptedBy;
  }

  /**
   * From now on all signals are the command's. Call it before the command is started: without a listener the system
   * drops a Ctrl-Z, or stops this process alone. What comes before {@link passOnTo} is kept until then.
   *
   * @param beforeContinuing called before a group that was stopped goes on
   */
  keepForCommand(beforeContinuing: () => void): void {
    if (!hasJobControl) return;
    this.#beforeContinuing = beforeContinuing;
    for (const signal of [...forTheCommand, ...jobControl])
      this.#on(signal, () => {
        if (this.#group) this.#pass(signal, this.#group);
        else this.#kept.push(signal);
      });
  }

  /** The command has started: signals go to its group, those first that came before. */
  passOnTo(group: CommandGroup): void {
    this.#group = group;
    if (this.#interruptedBy) group.signal(this.#interruptedBy);
    for (const signal of this.#kept.splice(0)) this.#pass(signal, group);
  }

  /** The signals mean again what they mean to any process. */
  [Symbol.dispose](): void {
    for (const listening of this.#listening) listening[Symbol.dispose]();
  }

  #pass(signal: NodeJS.Signals, group: CommandGroup): void {
    if (signal === 'SIGTSTP') {
      // Not SIGTSTP: the system drops that for a group whose session has no shell.
      group.signal('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
      return;
    }
    if (signal === 'SIGCONT') this.#beforeContinuing();
    group.signal(signal);
  }

  #onEnding(signal: NodeJS.Signals): void {
    if (this.#group) return void this.#group.signal(signal);
    if (!this.#interrupts()) return;
    // Asked twice: what is being put away runs out by itself.
    if (this.#interruptedBy) process.exit(exitCodeOfSignal(signal));
    this.#interruptedBy = signal;
    this.#interruption.abort(new DOMException(`stopped by ${signal}`, 'AbortError'));
  }

  #on(signal: NodeJS.Signals, listener: () => void): void {
    this.#listening.push(listenToSignals([signal], listener));
  }
}
