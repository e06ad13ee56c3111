import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** The engines that {@link startDynamo} knows, in the order in which it tries them. */
export const engineNames = ['endpoint', 'docker', 'dynoxide', 'dynalite'] as const;

/** Name of an engine that speaks DynamoDB's protocol. */
export type EngineName = (typeof engineNames)[number];

/** What an engine can do beyond single-item conditional writes, which all of them do. */
export interface EngineCapabilities {
  /** `TransactWriteItems` and `TransactGetItems`. */
  readonly transactions: boolean;
  /** A refused conditional write tells the item (`ReturnValuesOnConditionCheckFailure: ALL_OLD`). */
  readonly refusedItem: boolean;
  /** `UpdateTimeToLive` is accepted. Says nothing on when expired items go: see `sweepExpired`. */
  readonly timeToLive: boolean;
}

/** A DynamoDB that runs for this process and ends with it. */
export interface LocalDynamo extends AsyncDisposable {
  readonly engine: EngineName;
  /** Base URL, without a trailing slash. */
  readonly endpoint: string;
  readonly capabilities: EngineCapabilities;
  /**
   * Settings for an SDK client of this engine.
   *
   * @returns endpoint, a region and dummy credentials; a new object at each call.
   */
  clientConfig(): DynamoDBClientConfig;
  /** Ends the engine and waits until it is gone. A second call waits for the first. Never rejects. */
  stop(): Promise<void>;
}

/** Wraps what an engine's starter found out into a {@link LocalDynamo}. */
export function localDynamo(parts: {
  readonly engine: EngineName;
  readonly endpoint: string;
  readonly capabilities: EngineCapabilities;
  readonly stop: () => Promise<unknown>;
}): LocalDynamo {
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= parts.stop().then(ignore, ignore);
    return stopped;
  };
  return {
    engine: parts.engine,
    endpoint: parts.endpoint,
    capabilities: parts.capabilities,
    clientConfig: () => localClientConfig(parts.endpoint),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Settings for an SDK client of a local endpoint: nothing is read from the user's own AWS profile.
 *
 * @param endpoint base URL of the engine.
 */
export function localClientConfig(endpoint: string): DynamoDBClientConfig {
  return {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}

function ignore(): void {}

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
