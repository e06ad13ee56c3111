import { setTimeout as sleep } from 'node:timers/promises';
import { BlackHole } from './black-hole.js';
import type { FaultDecision, PlannedFaults } from './fault-plan.js';
import {
  drain,
  type HttpAnswer,
  type HttpHandler,
  type HttpOptions,
  type HttpRequest,
  observe,
} from './http-exchange.js';
import type { RecordingMeter } from './request-meter.js';
import { attemptTimedOut, connectionReset, serverError, shiftDate, throttled } from './synthetic-answers.js';
import type { UnderWay } from './under-way.js';

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
