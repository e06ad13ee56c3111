import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LockClient } from '../../../lib/client/index.js';
import { createLeaseTable, type LocalDynamo, startDynamo } from '../../../lib/local/index.js';
import { commandHere } from './command-here.js';
import { type Ended, type RunningCommand, startCommand } from './command-line.js';

/** An engine with a lease table, a client, and the command line. */
export interface LeaseTerminal extends AsyncDisposable {
  readonly dynamo: LocalDynamo;
  readonly client: DynamoDBClient;
  readonly locks: LockClient;
  /** Where the command line finds the table. */
  readonly where: readonly string[];
  /** Runs a command against the table, in this process. */
  run(...args: string[]): Promise<Ended>;
  /** Starts a command against the table, in a process of its own. */
  start(...args: string[]): RunningCommand;
}

/** Opens one on the first engine that needs no Docker. */
export async function openLeaseTerminal(table = 'leases'): Promise<LeaseTerminal> {
  const dynamo = await startDynamo({ allowDocker: false });
  const client = new DynamoDBClient(dynamo.clientConfig());
  await createLeaseTable(client, table);
  const locks = new LockClient({ table, client });
  const where = ['--table', table, '--endpoint', dynamo.endpoint];
  return {
    dynamo,
    client,
    locks,
    where,
    run: (...args) => commandHere([...args, ...where]),
    start: (...args) => startCommand([...args, ...where]),
    async [Symbol.asyncDispose]() {
      await locks.close();
      client.destroy();
      await dynamo.stop();
    },
  };
}
