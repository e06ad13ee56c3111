import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import {
  type LambdaEndpoint,
  type LambdaEndpointOptions,
  type LocalFunction,
  type LocalLambda,
  startLambdaEndpoint,
  startLocalLambda,
} from '../../../bin/start/state-machine/index.js';
import { LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import {
  createLeaseTable,
  type EngineName,
  type LocalDynamo,
  startDynamo,
} from '../../../lib/local/index.js';
import { bundledHandler } from '../bundles.js';
import { shortLease } from '../stage.js';

/** The names of the two functions. */
export const callers = 'leasehold';
export const operators = 'leasehold-operators';

/** How a {@link ServiceStage} is made. */
export interface ServiceStageOptions extends LambdaEndpointOptions {
  readonly engine?: EngineName;
  /** Environment variables of both functions. */
  readonly env?: Readonly<Record<string, string>>;
  readonly functions?: Partial<LocalFunction>;
}

/** An engine, and the bundled service as it would be deployed: in processes, behind Lambda's Invoke over HTTP. */
export class ServiceStage implements AsyncDisposable {
  readonly dynamo: LocalDynamo;
  readonly raw: DynamoDBClient;
  readonly lambda: LocalLambda;
  readonly endpoint: LambdaEndpoint;
  readonly lambdaClient: LambdaClient;
  readonly #clients: LockClient[] = [];

  private constructor(dynamo: LocalDynamo, lambda: LocalLambda, endpoint: LambdaEndpoint) {
    this.dynamo = dynamo;
    this.raw = new DynamoDBClient(dynamo.clientConfig());
    this.lambda = lambda;
    this.endpoint = endpoint;
    this.lambdaClient = this.newLambdaClient();
  }

  static async open(options: ServiceStageOptions = {}): Promise<ServiceStage> {
    const dynamo = await startDynamo({ ...(options.engine && { engine: options.engine }) });
    const raw = new DynamoDBClient(dynamo.clientConfig());
    await createLeaseTable(raw, 'leases');
    raw.destroy();
    const env = {
      LEASEHOLD_TABLE: 'leases',
      LEASEHOLD_DYNAMODB_ENDPOINT: dynamo.endpoint,
      LEASEHOLD_LOGS: 'off',
      LEASEHOLD_METRICS: 'off',
      LEASEHOLD_TRACING: 'off',
      ...options.env,
    };
    const definition = {
      handler: bundledHandler('lock-service'),
      timeoutMs: 10_000,
      ...options.functions,
    };
    const lambda = await startLocalLambda({
      functions: {
        [callers]: { ...definition, env },
        [operators]: { ...definition, env: { ...env, LEASEHOLD_OPERATIONS: 'operate' } },
      },
    });
    return new ServiceStage(dynamo, lambda, await startLambdaEndpoint(lambda, options));
  }

  newLambdaClient(maxAttempts = 2): LambdaClient {
    return new LambdaClient({
      endpoint: this.endpoint.endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts,
      requestHandler: { requestTimeout: 10_000, throwOnRequestTimeout: true },
    });
  }

  /** A client of the service, over the SDK and HTTP; a process starts with its first request. */
  client(options: Partial<LockClientOptions> = {}): LockClient {
    const client = new LockClient({
      ...shortLease,
      leaseMs: 30_000,
      requestTimeoutMs: 10_000,
      service: callers,
      lambdaClient: this.lambdaClient,
      // As attempts of one owner in different processes share it.
      ownerKey: 'the-secret-of-this-stage',
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  /** One raw request, as a worker in another language would send it. */
  ask(request: unknown, functionName = callers): Promise<unknown> {
    return this.lambda.invoke(functionName, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
    this.lambdaClient.destroy();
    this.raw.destroy();
    await this.endpoint.stop();
    await this.lambda.stop();
    await this.dynamo.stop();
  }
}
