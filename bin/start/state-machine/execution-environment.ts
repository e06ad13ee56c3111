import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type EnvironmentMessage, isEnvironmentMessage } from './environment-messages.js';
import { exitError, LocalLambdaError, stoppedError, timeoutError } from './lambda-errors.js';

/** How long a handler's module may take to load, in milliseconds: Lambda's own limit for the init phase. */
const initTimeoutMs = 10_000;
/** How much of a child's last standard error goes into the message of its crash, in characters. */
const stderrTailLength = 2_000;

/** What an execution environment starts with. */
export interface EnvironmentStart {
  readonly functionName: string;
  /** The compiled entry, the handler's module and the preload modules: absolute paths. */
  readonly entry: string;
  readonly handler: string;
  /** The handler's name in its module. */
  readonly exportName: string;
  readonly preload: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly onMessage: (environment: ExecutionEnvironment, message: unknown) => void;
  readonly onExit: (environment: ExecutionEnvironment, how: string) => void;
  readonly onOutput?: (environment: ExecutionEnvironment, line: string) => void;
}

interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  readonly settle: (outcome: { readonly value: unknown } | { readonly error: Error }) => void;
}

/** One child process that runs one function's handler, one invocation at a time, again and again. */
export class ExecutionEnvironment {
  readonly functionName: string;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #invocation: Invocation | undefined;
  #frozen = false;
  #gone = false;
  #stderrTail = '';

  constructor(start: EnvironmentStart) {
    this.functionName = start.functionName;
    const imports = start.preload.flatMap((path) => ['--import', pathToFileURL(path).href]);
    this.#child = fork(start.entry, [start.handler, start.exportName], {
      env: start.env,
      execArgv: imports,
      stdio: ['ignore', start.onOutput ? 'pipe' : 'ignore', 'pipe', 'ipc'],
    });
    if (start.onOutput) {
      for (const input of [this.#child.stdout, this.#child.stderr]) {
        if (input) createInterface({ input }).on('line', (line) => start.onOutput?.(this, line));
      }
    }
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-stderrTailLength);
    });

    let ready = () => {};
    let notReady = (_error: Error) => {};
    this.#ready = new Promise((resolve, reject) => {
      ready = resolve;
      notReady = reject;
    });
    // An environment that dies before its first invocation waits for it is nobody's error.
    this.#ready.catch(() => {});

    this.#child.on('message', (message) => {
      if (!isEnvironmentMessage(message)) return start.onMessage(this, message);
      if (message.leasehold === 'ready') ready();
      else if (message.leasehold === 'init-failed') notReady(revived(message.error));
      else this.#answered(message);
    });
    this.exited = new Promise((resolve) => {
      const onGone = (how: string) => {
        if (this.#gone) return;
        this.#gone = true;
        const tail = this.#stderrTail.trim();
        const error = exitError(this.#invocation?.requestId ?? 'none', tail ? `${how}\n${tail}` : how);
        notReady(error);
        this.#invocation?.settle({ error });
        start.onExit(this, how);
        resolve();
      };
      this.#child.on('error', (error) => this.#child.pid === undefined && onGone(error.message));
      this.#child.on('exit', (code, signal) => onGone(signal ? `signal: ${signal}` : `exit status ${code}`));
    });
  }

  /** The process id; 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What it does now. */
  get state(): 'idle' | 'busy' | 'gone' {
    if (this.#gone) return 'gone';
    return this.#invocation ? 'busy' : 'idle';
  }

  /** Whether it was stopped by {@link freeze} and not woken since. */
  get frozen(): boolean {
    return this.#frozen;
  }

  /** The event of the invocation that it works on; undefined when idle. */
  get event(): unknown {
    return this.#invocation?.event;
  }

  /**
   * Runs one invocation. The caller sees to it that the environment is idle.
   *
   * @param timeoutMs the function's time-out
   * @param signal abandons the invocation; the process is killed with it
   * @throws the handler's error with its `name`; `Runtime.ExitError` when the process ends, `Sandbox.Timedout`
   *   after the time-out (the process is killed), `LocalLambdaStopped` on abort
   */
  async invoke(event: unknown, requestId: string, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort = () => {};
    try {
      return await new Promise((resolve, reject) => {
        const invocation: Invocation = {
          requestId,
          event,
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value)),
        };
        this.#invocation = invocation;
        const end = (error: Error) => {
          reject(error);
          this.kill();
        };
        onAbort = () => end(stoppedError());
        if (signal?.aborted) return onAbort();
        signal?.addEventListener('abort', onAbort, { once: true });
        timer = setTimeout(() => end(timeoutError(requestId, initTimeoutMs)), initTimeoutMs);
        this.#ready.then(() => {
          clearTimeout(timer);
          if (this.#invocation !== invocation) return;
          timer = setTimeout(() => end(timeoutError(requestId, timeoutMs)), timeoutMs);
          this.#send(requestId, event, timeoutMs);
        }, end);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#invocation = undefined;
    }
  }

  /** Stops the process where it stands (SIGSTOP): a pause that no code in it can notice. */
  freeze(): void {
    this.#frozen = this.#child.kill('SIGSTOP') || this.#frozen;
  }

  /** Lets a stopped process go on (SIGCONT). */
  thaw(): void {
    if (this.#child.kill('SIGCONT')) this.#frozen = false;
  }

  /** Kills the process (SIGKILL), stopped or not. Synchronous, never throws. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(requestId: string, event: unknown, timeoutMs: number): void {
    const message = {
      leasehold: 'invoke',
      requestId,
      event: JSON.stringify(event ?? null),
      deadlineAtMs: Date.now() + timeoutMs,
    };
    // A closed channel means that the process is gone; its exit rejects the invocation.
    this.#child.send(message, () => {});
  }

  #answered(message: Extract<EnvironmentMessage, { readonly requestId: string }>): void {
    if (this.#invocation?.requestId !== message.requestId) return;
    if (message.leasehold === 'failed') this.#invocation.settle({ error: revived(message.error) });
    else this.#invocation.settle({ value: JSON.parse(message.payload) });
  }
}

function revived(error: { readonly name: string; readonly message: string; readonly stack?: string }): Error {
  const alive = new LocalLambdaError(error.name, error.message);
  if (error.stack) alive.stack = error.stack;
  return alive;
}
