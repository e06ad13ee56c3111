import type { InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { UsageError } from '../errors/index.js';

/** What came back from the function: its answer, or that it failed. */
export interface ServiceResponse {
  /** JSON: the answer, or the error that the function failed with. */
  readonly payload: string;
  /** The function failed instead of answering: a crash, a time-out, a bad setting. */
  readonly failed: boolean;
  /** How often it was sent: an attempt without an answer may still be under way. */
  readonly attempts: number;
}

/** The way to a lock service: JSON there, JSON back. For transports other than Lambda's own Invoke. */
export interface ServiceTransport {
  /** For messages. */
  readonly service: string;
  /** Ends with the signal at the latest. Throws as the AWS SDK does, with `$metadata` where a response came. */
  send(request: string, signal: AbortSignal): Promise<ServiceResponse>;
  close?(): void;
}

/**
 * What is used of a `LambdaClient`, or of a `Lambda`, which brings its command along: a bundler then sees that it is
 * needed. Said in our own words, since the package with its types need not be there.
 */
export interface LambdaCaller {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's commands share no type that names their input and output
  send(command: any, options?: { readonly abortSignal?: AbortSignal }): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  invoke?(input: any, options?: { readonly abortSignal?: AbortSignal }): Promise<any>;
}

/** What a client of the AWS SDK is made with. */
export interface SdkConfig {
  readonly region?: string;
  readonly endpoint?: string;
  readonly maxAttempts: number;
  readonly requestHandler: Readonly<Record<string, unknown>>;
}

/** Invokes the service's function by the AWS SDK, which is loaded with the first request. */
export class LambdaTransport implements ServiceTransport {
  readonly service: string;
  readonly #client: LambdaCaller | undefined;
  readonly #config: SdkConfig;
  #own: LambdaClient | undefined;

  /**
   * @param service the function's name or ARN
   * @param client the caller's. @default one of its own
   * @param config for one of its own
   */
  constructor(service: string, client: LambdaCaller | undefined, config: SdkConfig) {
    this.service = service;
    this.#client = client;
    this.#config = config;
  }

  async send(request: string, signal: AbortSignal): Promise<ServiceResponse> {
    const input = { FunctionName: this.service, Payload: Buffer.from(request) };
    const { Payload, FunctionError, $metadata } = await this.#invoke(input, { abortSignal: signal });
    return {
      payload: Buffer.from(Payload ?? []).toString('utf8'),
      failed: FunctionError !== undefined,
      attempts: $metadata.attempts ?? 1,
    };
  }

  close(): void {
    this.#own?.destroy();
  }

  async #invoke(input: InvokeCommandInput, options: { readonly abortSignal: AbortSignal }) {
    const client = this.#client;
    if (client?.invoke) return client.invoke(input, options);
    const { InvokeCommand, LambdaClient } = await lambdaSdk();
    if (!client) this.#own ??= new LambdaClient(this.#config);
    return (client ?? this.#own!).send(new InvokeCommand(input), options);
  }
}

/**
 * Out of bundlers' sight: they would put it into every bundle of a client with a table, too. Lambda's runtime has it,
 * elsewhere it is an optional peer. A bundle that runs without both passes `lambdaClient: new Lambda({})`.
 */
async function lambdaSdk(): Promise<typeof import('@aws-sdk/client-lambda')> {
  const name = ['@aws-sdk', 'client-lambda'].join('/');
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  } catch (cause) {
    throw new UsageError(`service: needs ${name}, which is not installed: npm install ${name}`, undefined, {
      cause,
    });
  }
}
