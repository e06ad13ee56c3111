import type { StoreAnswer } from '../store/answers.js';
import type { SimProcess } from '../world/sim-process.js';
import { middlewareOf } from './middleware.js';

/** How the SDK's client is set up. */
export interface ClientSettings {
  readonly maxAttempts: number;
  readonly requestTimeoutMs: number;
}

/** The answer to one attempt, or nothing within the time. */
export interface Reply {
  readonly date: string;
  readonly answer: StoreAnswer;
}

/** Sends one attempt; calls back with the reply if it comes. */
// biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
export type Transport = (operation: string, input: any, onReply: (reply: Reply) => void) => void;

// biome-ignore lint/suspicious/noExplicitAny: the SDK types a middleware stack by its command
type Any = any;

const firstBackoffMs = 50;
const retried = new Set([
  'ThrottlingException',
  'InternalServerError',
  'SlowDown',
  'InternalError',
  'TooManyRequestsException',
  'ServiceException',
  'TimeoutError',
]);

/**
 * What stands in for the SDK's client: runs each command through its own middleware (the store clock's, a guard's),
 * with the SDK's retries between the initialize and the deserialize step, on the process's own timers.
 */
export class SimClient {
  readonly #process: SimProcess;
  readonly #transport: Transport;
  readonly #settings: ClientSettings;

  constructor(process: SimProcess, settings: ClientSettings, transport: Transport) {
    this.#process = process;
    this.#transport = transport;
    this.#settings = settings;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the SDK's, which is typed by command
  send(command: any, options?: { readonly abortSignal?: AbortSignal }): Promise<any> {
    const signal = options?.abortSignal;
    const operation: string = command.constructor.name;
    const { outer, inner } = middlewareOf(command);
    const send = () => this.#attempt(operation, command.input, signal);
    const attempt = inner ? inner(send, {}) : send;
    const sendAgain = (args: Any) => this.#withRetries(() => attempt(args), signal);
    const handler = outer ? outer(sendAgain, {}) : sendAgain;
    return handler({ input: command.input }).then(({ output }: Any) => output);
  }

  async #withRetries(next: () => Promise<Any>, signal: AbortSignal | undefined): Promise<Any> {
    const { maxAttempts } = this.#settings;
    for (let attempts = 1; ; attempts++) {
      try {
        const { response } = await next();
        const { errorName, status, body } = response.answer as StoreAnswer;
        const $metadata = { attempts, httpStatusCode: status };
        if (errorName === undefined) return { response, output: { ...body, $metadata } };
        throw Object.assign(new Error(String(body.message)), { ...body, name: errorName, $metadata });
      } catch (error) {
        const known = error as Error & { $metadata?: { attempts: number } };
        if (known.$metadata) known.$metadata.attempts = attempts;
        else Object.assign(known, { $metadata: { attempts } });
        if (attempts >= maxAttempts || !retried.has(known.name)) throw error;
        const { random } = this.#process.runtime;
        await this.#sleep(random() * Math.min(20_000, firstBackoffMs * 2 ** (attempts - 1)), signal);
      }
    }
  }

  /** One attempt: the reply, or a time-out that does what the SDK's does when it is told to throw. */
  #attempt(operation: string, input: unknown, signal: AbortSignal | undefined): Promise<Any> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const settle = () => {
        cancel();
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        settle();
        reject(aborted());
      };
      const cancel = this.#process.runtime.setTimer(() => {
        settle();
        reject(named('TimeoutError', 'no answer in time'));
      }, this.#settings.requestTimeoutMs);
      signal?.addEventListener('abort', onAbort);
      this.#transport(operation, input, ({ date, answer }) => {
        settle();
        resolve({ response: { statusCode: answer.status, headers: { date }, answer } });
      });
    });
  }

  #sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#process.runtime.setTimer(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, delayMs);
      const onAbort = () => {
        cancel();
        reject(aborted());
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function aborted(): Error {
  return named('AbortError', 'Request aborted');
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
