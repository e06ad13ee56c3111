import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ExecutionEnvironment } from './execution-environment.js';
import { stoppedError, throttledError } from './lambda-errors.js';
import { nodeBundle } from './node-bundle.js';

/** A function of the local runtime. */
export interface LocalFunction {
  /** The module that exports the handler: a bundle, or a source file (compiled when the runtime starts). Absolute. */
  readonly handler: string;
  /** The handler's name in the module. @default handler */
  readonly exportName?: string;
  /** The handler's environment variables. Nothing of this process's environment is passed on but `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** The function's time-out in milliseconds; then the process is killed. @default 60000 */
  readonly timeoutMs?: number;
  /** Modules loaded before the handler; what they give to `process.send` arrives at `onMessage`. Absolute. */
  readonly preload?: readonly string[];
  /** How many processes the function may have at once; more invocations are throttled. @default 64 */
  readonly maxEnvironments?: number;
}

/** Options of {@link startLocalLambda}. */
export interface LocalLambdaOptions {
  readonly functions: Readonly<Record<string, LocalFunction>>;
  /** Gets what a preload module or a handler sends with `process.send`. */
  readonly onMessage?: (environment: ExecutionEnvironment, message: unknown) => void;
  /** Gets each line that a handler writes to standard output or error: what Lambda logs. @default not read */
  readonly onOutput?: (environment: ExecutionEnvironment, line: string) => void;
  /** Told when a process is gone, for whatever reason (`how`: `signal: SIGKILL`, `exit status 1`). */
  readonly onExit?: (environment: ExecutionEnvironment, how: string) => void;
}

/** A running local Lambda service. */
export interface LocalLambda extends AsyncDisposable {
  /**
   * Invokes a function and waits for its answer, in a warm process when one is idle, else in a new one.
   *
   * @throws the handler's own error by `name`, and Lambda's: `Runtime.ExitError`, `Sandbox.Timedout`,
   *   `Lambda.TooManyRequestsException`, `Lambda.ResourceNotFoundException`; `LocalLambdaStopped` on abort or stop
   */
  readonly invoke: (functionName: string, event: unknown, signal?: AbortSignal) => Promise<unknown>;
  /** The processes that live now. */
  readonly environments: () => readonly ExecutionEnvironment[];
  /** Stops a process where it stands; false when it is none of ours. */
  readonly freeze: (pid: number) => boolean;
  /** Lets a stopped process go on; false when it is none of ours. */
  readonly thaw: (pid: number) => boolean;
  /** Kills a process; false when it is none of ours. */
  readonly kill: (pid: number) => boolean;
  /** Kills every process; later invocations get new ones. Synchronous. */
  readonly killAll: () => void;
  /** Kills every process, waits until they are gone, removes what was compiled. Idempotent. */
  readonly stop: () => Promise<void>;
}

const defaultTimeoutMs = 60_000;
const defaultMaxEnvironments = 64;

/**
 * Starts a Lambda service on this machine whose execution environments are real processes, so that a crash is a
 * crash and a pause is a pause. Processes start on demand and are used again.
 *
 * @throws esbuild's error for a module that does not compile
 */
export async function startLocalLambda(options: LocalLambdaOptions): Promise<LocalLambda> {
  const modules = await compiledModules();
  try {
    const entry = await modules.compile(siblingModule(import.meta.url, 'environment-main'));
    const prepared = await Promise.all(
      Object.entries(options.functions).map(
        async ([name, definition]) => [name, await compiled(modules, definition)] as const,
      ),
    );
    return new Service(options, modules, entry, new Map(prepared));
  } catch (error) {
    await modules.remove();
    throw error;
  }
}

type PreparedFunction = LocalFunction & { readonly preload: readonly string[] };

class Service implements LocalLambda {
  readonly #environments = new Set<ExecutionEnvironment>();
  readonly #forgetParentExit: () => void;
  #stopping: Promise<void> | undefined;

  constructor(
    private readonly options: LocalLambdaOptions,
    private readonly modules: CompiledModules,
    private readonly entry: string,
    private readonly functions: ReadonlyMap<string, PreparedFunction>,
  ) {
    this.#forgetParentExit = onParentExit(() => {
      this.killAll();
      this.modules.removeNow();
    });
  }

  readonly invoke = async (functionName: string, event: unknown, signal?: AbortSignal): Promise<unknown> => {
    if (this.#stopping) throw stoppedError();
    const definition = this.functions.get(functionName);
    if (!definition) {
      const error = new Error(`Function not found: ${functionName}`);
      error.name = 'Lambda.ResourceNotFoundException';
      throw error;
    }
    const environment = this.#idle(functionName) ?? this.#start(functionName, definition);
    return environment.invoke(event, randomUUID(), definition.timeoutMs ?? defaultTimeoutMs, signal);
  };

  readonly environments = () => [...this.#environments];
  readonly freeze = (pid: number) => this.#with(pid, (environment) => environment.freeze());
  readonly thaw = (pid: number) => this.#with(pid, (environment) => environment.thaw());
  readonly kill = (pid: number) => this.#with(pid, (environment) => environment.kill());

  readonly killAll = () => {
    for (const environment of this.#environments) environment.kill();
  };

  readonly stop = () => {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    const exits = this.environments().map((environment) => environment.exited);
    this.killAll();
    // Nothing outlives SIGKILL, so this wait has an end of its own.
    await Promise.all(exits);
    this.#forgetParentExit();
    await this.modules.remove();
  }

  #idle(functionName: string): ExecutionEnvironment | undefined {
    return this.environments().find(
      (environment) =>
        environment.functionName === functionName && environment.state === 'idle' && !environment.frozen,
    );
  }

  #start(functionName: string, definition: PreparedFunction): ExecutionEnvironment {
    const limit = definition.maxEnvironments ?? defaultMaxEnvironments;
    const count = this.environments().filter((one) => one.functionName === functionName).length;
    if (count >= limit) throw throttledError(functionName, limit);
    const environment = new ExecutionEnvironment({
      functionName,
      entry: this.entry,
      handler: definition.handler,
      exportName: definition.exportName ?? 'handler',
      preload: definition.preload,
      env: { ...lambdaEnvironment(functionName), ...definition.env },
      onMessage: (from, message) => this.options.onMessage?.(from, message),
      ...(this.options.onOutput && { onOutput: this.options.onOutput }),
      onExit: (gone, how) => {
        this.#environments.delete(gone);
        this.options.onExit?.(gone, how);
      },
    });
    this.#environments.add(environment);
    return environment;
  }

  #with(pid: number, act: (environment: ExecutionEnvironment) => void): boolean {
    const found = this.environments().find((environment) => environment.pid === pid);
    if (found) act(found);
    return found !== undefined;
  }
}

/** Source files are compiled; a bundle (`.mjs`) is loaded as it is, so that what runs is what would be deployed. */
async function compiled(modules: CompiledModules, definition: LocalFunction): Promise<PreparedFunction> {
  const handler = definition.handler.endsWith('.mjs')
    ? definition.handler
    : await modules.compile(definition.handler);
  const preload = await Promise.all((definition.preload ?? []).map((path) => modules.compile(path)));
  return { ...definition, handler, preload };
}

/** What the Lambda service sets; the credentials are placeholders, so that no real ones can be used by accident. */
function lambdaEnvironment(functionName: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
    // It would be in the message of every crash, and the deployed functions run on a newer Node.js anyway.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `cleanUp` when this process ends, by itself or by a signal. A stopped child does not notice that its
 * parent is gone, so it must be killed from here, synchronously. When nobody else listens to the signal, its
 * usual effect (the process ends) is kept.
 *
 * @param cleanUp must be synchronous and must not throw
 * @returns takes the listeners away again
 */
function onParentExit(cleanUp: () => void): () => void {
  const listeners = endings.map((signal) => {
    const listener = () => {
      cleanUp();
      if (process.listenerCount(signal) > 1) return;
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    };
    return [signal, listener] as const;
  });
  process.on('exit', cleanUp);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    process.removeListener('exit', cleanUp);
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}

/** Modules compiled to plain ESM in a directory of their own. */
interface CompiledModules {
  /** Compiles a TypeScript or JavaScript file with what it imports; answers the compiled file's path. */
  readonly compile: (path: string) => Promise<string>;
  /** Removes the directory. */
  readonly remove: () => Promise<void>;
  /** The same at once, for a process that is about to end. */
  readonly removeNow: () => void;
}

/**
 * Child processes start in tens of milliseconds when they load one plain file, and in half a second when they
 * bring a TypeScript loader along; with a dozen workers on a small machine that is the difference.
 *
 * @throws esbuild's error for a file that does not compile
 */
async function compiledModules(): Promise<CompiledModules> {
  const directory = await mkdtemp(join(tmpdir(), `leasehold-run-${process.pid}-`));
  const done = new Map<string, Promise<string>>();

  const compileOnce = async (path: string, ordinal: number) => {
    const outfile = join(directory, `${ordinal}-${basename(path, extname(path))}.mjs`);
    await build({ ...nodeBundle, entryPoints: [path], outfile, logLevel: 'silent' });
    return outfile;
  };

  return {
    compile(path) {
      const known = done.get(path);
      if (known) return known;
      const compiling = compileOnce(path, done.size);
      done.set(path, compiling);
      return compiling;
    },
    remove: () => rm(directory, { recursive: true, force: true }),
    removeNow: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The path of a module beside the calling one, whether that one runs from source or compiled. */
function siblingModule(callerUrl: string, name: string): string {
  const path = fileURLToPath(callerUrl);
  return join(path, '..', `${name}${extname(path)}`);
}
