import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultDecision, PlannedFaults } from './fault-plan.js';
import type { ThrottleError } from './fault-rule.js';
import {
  drain,
  type HttpAnswer,
  type HttpHandler,
  type HttpOptions,
  type HttpRequest,
  observe,
} from './http-exchange.js';
import type { RecordingMeter, UnderWay } from './request-meter.js';

const namespace = 'com.amazonaws.dynamodb.v20120810';

/** The error that Node's HTTP client gives when its connection is reset, as the SDK's handler passes it on. */
function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
}

/** The error of an attempt that took too long, as the SDK's handler makes it. */
function attemptTimedOut(): Error {
  return Object.assign(new Error('the request timed out'), { name: 'TimeoutError', code: 'ETIMEDOUT' });
}

/** DynamoDB's answer to a request that it throttles. */
function throttled(error: ThrottleError): HttpAnswer {
  return errorAnswer(400, error, 'Rate of requests exceeds the allowed throughput.');
}

/** DynamoDB's answer when it fails itself. */
function serverError(): HttpAnswer {
  return errorAnswer(500, 'InternalServerError', 'The request processing has failed because of an error.');
}

/** Moves the `Date` header of an answer. */
function shiftDate(answer: HttpAnswer, offsetMs: number): HttpAnswer {
  if (offsetMs === 0) return answer;
  const { headers } = answer.response;
  for (const name of Object.keys(headers)) {
    if (name.toLowerCase() !== 'date') continue;
    headers[name] = new Date(Date.parse(headers[name] ?? '') + offsetMs).toUTCString();
  }
  return answer;
}

function errorAnswer(statusCode: number, type: string, message: string): HttpAnswer {
  const body = Buffer.from(JSON.stringify({ __type: `${namespace}#${type}`, message }));
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(body.length),
    'x-amzn-errortype': type,
    date: new Date().toUTCString(),
  };
  return { response: { statusCode, headers, body: Readable.from([body]) } };
}

/**
 * Stands between an SDK client and its real HTTP handler: meters every attempt and lets the plan's faults act
 * on it. What a fault does not concern goes to the real engine over real HTTP.
 */
export class FaultHandler {
  readonly #blackHole = new BlackHole();
  readonly #closed = new AbortController();

  constructor(
    private readonly inner: HttpHandler,
    private readonly plan: PlannedFaults,
    private readonly meter: RecordingMeter,
    private readonly underWay: UnderWay,
  ) {}

  /** Called by the SDK once per attempt. */
  async handle(request: HttpRequest, options: HttpOptions = {}): Promise<HttpAnswer> {
    const observed = observe(request, false);
    const decision = this.plan.decide(observed);
    const entry = this.meter.begin(observed, decision.kinds);
    try {
      this.#closed.signal.throwIfAborted();
      const answer = await this.#meet(decision.fault, request, options);
      entry.status = answer.response.statusCode;
      return shiftDate(answer, decision.offsetMs);
    } catch (error) {
      entry.error = (error as Error).name;
      throw error;
    }
  }

  /** Called by the SDK; the settings are the real handler's. */
  updateHttpClientConfig(key: string, value: unknown): void {
    this.inner.updateHttpClientConfig?.(key, value);
  }

  /** Called by the SDK; the settings are the real handler's. */
  httpHandlerConfigs(): object {
    return this.inner.httpHandlerConfigs?.() ?? {};
  }

  /** Called by the SDK when the client is destroyed. */
  destroy(): void {
    this.inner.destroy?.();
  }

  /** Ends what hangs and what waits to be sent; later requests fail. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('this client is closed'));
    await this.underWay.cancel();
    await this.#blackHole.close();
    this.destroy();
  }

  async #meet(
    fault: FaultDecision['fault'],
    request: HttpRequest,
    options: HttpOptions,
  ): Promise<HttpAnswer> {
    switch (fault?.kind) {
      case undefined:
        return await this.inner.handle(request, options);
      case 'drop-request':
        throw connectionReset();
      case 'drop-answer':
        await drain(await this.inner.handle(request, options));
        throw connectionReset();
      case 'hang':
        if (fault.sent) this.#sendCopy(request, 0);
        return await this.#hang(request, options);
      case 'delay':
        return await this.#delay(request, options, fault.beforeMs ?? 0, fault.afterMs ?? 0);
      case 'duplicate':
        return await this.inner
          .handle(request, options)
          .finally(() => this.#sendCopy(request, fault.afterMs));
      case 'late':
        this.#sendCopy(request, fault.afterMs);
        if (fault.caller === 'hangs') return await this.#hang(request, options);
        throw attemptTimedOut();
      case 'throttle':
        return throttled(fault.error ?? 'ThrottlingException');
      case 'server-error':
        if (fault.applied) await drain(await this.inner.handle(request, options));
        return serverError();
    }
  }

  async #hang(request: HttpRequest, options: HttpOptions): Promise<HttpAnswer> {
    return await this.inner.handle(await this.#blackHole.redirect(request), options);
  }

  // The wait runs beside a request that hangs, so that the caller's timeouts count it as one slow request.
  async #delay(
    request: HttpRequest,
    options: HttpOptions,
    beforeMs: number,
    afterMs: number,
  ): Promise<HttpAnswer> {
    const ended = new AbortController();
    const sources = [ended.signal, this.#closed.signal];
    if (options.abortSignal) sources.push(options.abortSignal);
    const signal = AbortSignal.any(sources);
    const slow = async (): Promise<HttpAnswer> => {
      await sleep(beforeMs, undefined, { signal });
      const answer = await this.inner.handle(request, { ...options, abortSignal: signal });
      await sleep(afterMs, undefined, { signal });
      return answer;
    };
    const contenders = [slow(), this.#hang(request, { ...options, abortSignal: signal })];
    for (const contender of contenders) contender.catch(() => {});
    try {
      return await Promise.race(contenders);
    } finally {
      // The loser ends here, whichever it is.
      ended.abort();
    }
  }

  #sendCopy(request: HttpRequest, afterMs: number): void {
    this.underWay.add(async (signal) => {
      await sleep(afterMs, undefined, { signal });
      const entry = this.meter.begin(observe(request, true), []);
      try {
        const answer = await this.inner.handle(request, { abortSignal: signal });
        entry.status = answer.response.statusCode;
        await drain(answer);
      } catch (error) {
        entry.error = (error as Error).name;
      }
    });
  }
}

/**
 * A server on loopback that takes every request and answers none. Hung requests go there through the SDK's
 * own handler, so that its timeouts and the caller's aborts act on them as they would in the field.
 */
class BlackHole {
  #server: Promise<Server> | undefined;

  /** The same request, addressed to the black hole. Starts it at the first call. */
  async redirect(request: HttpRequest): Promise<HttpRequest> {
    this.#server ??= listen();
    const { port } = (await this.#server).address() as AddressInfo;
    const copy = Object.assign(Object.create(Object.getPrototypeOf(request)), request);
    return Object.assign(copy, { protocol: 'http:', hostname: '127.0.0.1', port, path: '/' });
  }

  /** Resets everything that hangs and stops listening. */
  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    if (!server?.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

async function listen(): Promise<Server> {
  const server = createServer((request) => request.resume());
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A request that hangs keeps its own socket alive in the event loop; the listener need not.
  server.unref();
  return server;
}
