import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { FaultHandler } from './fault-handler.js';
import { type FaultPlan, PlannedFaults } from './fault-plan.js';
import { RecordingMeter, type RequestMeter, UnderWay } from './request-meter.js';

const copyLimitMs = 60_000;

/** How {@link meteredClient} meters. */
export interface MeteredClientOptions {
  /** Entries kept in the meter's log. Default 10,000. */
  readonly logLimit?: number;
}

/** An SDK client with its meter and the plan of its faults. */
export interface MeteredClient extends AsyncDisposable {
  readonly client: DynamoDBClient;
  readonly meter: RequestMeter;
  readonly faults: FaultPlan;
  /**
   * Ends what hangs, cancels copies that have not been sent and destroys the client. Never rejects; requests
   * that the client gets afterwards fail.
   */
  close(): Promise<void>;
}

/**
 * Makes an SDK client that counts its requests and on which faults can be planned. The SDK above it and the
 * engine below it are the real ones: its retries act on the faults, its timeouts and aborts end them.
 *
 * @param config as for the SDK's own client; a `requestHandler` in it is used below the faults.
 */
export function meteredClient(
  config: DynamoDBClientConfig,
  options: MeteredClientOptions = {},
): MeteredClient {
  const underWay = new UnderWay(copyLimitMs);
  const meter = new RecordingMeter(options.logLimit ?? 10_000);
  const faults = new PlannedFaults(() => underWay.settled());
  // The SDK makes its default handler from the settings given: a first client is asked for it.
  const inner = new DynamoDBClient(config).config.requestHandler;
  const handler = new FaultHandler(inner, faults, meter, underWay);
  // It has the handler's shape; the SDK's type asks for its own request and response classes.
  const requestHandler = handler as unknown as DynamoDBClientConfig['requestHandler'];
  const client = new DynamoDBClient({ ...config, requestHandler });
  const close = async (): Promise<void> => {
    await handler.close();
    client.destroy();
  };
  return { client, meter, faults, close, [Symbol.asyncDispose]: close };
}
