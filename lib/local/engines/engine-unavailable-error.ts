import type { EngineName } from './local-dynamo.js';

/** An engine can't run here: its package, its container engine or its endpoint is not there, or it won't start. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError';

  /**
   * @param engine the engine that was asked for.
   * @param why one sentence for people, without the engine's name.
   */
  constructor(
    readonly engine: EngineName,
    readonly why: string,
    options?: ErrorOptions,
  ) {
    super(`${engine}: ${why}`, options);
  }
}
