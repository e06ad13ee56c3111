/** What the driver tells a worker when it starts it. */
export interface WorkerOrders {
  /** From 0; it is the worker's seat in scans, too. */
  readonly worker: number;
  /** Counts the processes of this worker. */
  readonly generation: number;
  readonly seed: number;
  readonly dynamoEndpoint: string;
  readonly s3Endpoint: string;
  readonly journal: string;
  readonly board: string;
}

const variable = 'LEASEHOLD_CHAOS_ORDERS';

/** The environment that carries the orders. */
export function ordersEnvironment(orders: WorkerOrders): Record<string, string> {
  return { [variable]: JSON.stringify(orders) };
}

/** @throws Error when this process was not started by the driver */
export function readOrders(env: NodeJS.ProcessEnv = process.env): WorkerOrders {
  const text = env[variable];
  if (text === undefined) throw new Error(`${variable} is not set: this is started by the chaos driver`);
  return JSON.parse(text) as WorkerOrders;
}
