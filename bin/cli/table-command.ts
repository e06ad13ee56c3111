import type { Command } from 'commander';
import { type CreatedTable, createTable } from '../../lib/table/create-table.js';
import { print, printJson } from '../terminal/output.js';
import type { GlobalOptions } from './connection.js';
import { connect } from './connection.js';
import { addRaiseTokens } from './raise-tokens-command.js';

interface CreateOptions extends GlobalOptions {
  readonly ttl: boolean;
  readonly wait: boolean;
}

/** `leasehold table`: the lease table without CDK. */
export function addTable(program: Command): void {
  const table = program.command('table').description('the lease table');
  table
    .command('create')
    .description('create the table, on demand, with its index, or complete one that is there')
    .option('--no-ttl', 'leave Time to Live off: unused items stay for ever, and scans refuse the table')
    .option('--wait', 'wait until Time to Live is in effect, too; DynamoDB may take an hour', false)
    .addHelpText('after', '\nExample:\n  $ leasehold table create --table leases --region eu-central-1')
    .action((_options, command: Command) => create(command.optsWithGlobals<CreateOptions>()));
  addRaiseTokens(table);
}

async function create(options: CreateOptions): Promise<void> {
  await using connection = await connect(options);
  const created = await createTable(connection.dynamo, options.table, {
    timeToLive: options.ttl,
    waitForTimeToLive: options.wait,
  });
  if (options.json) printJson({ table: options.table, ...created });
  else print(sentences(options.table, created).join('\n'));
}

function sentences(table: string, created: CreatedTable): string[] {
  const timeToLive = {
    'enabled-now': 'Time to Live on "ttl": enabled now.',
    'enabled-before': 'Time to Live on "ttl": was enabled.',
    unsupported: 'Time to Live: this engine does not know it.',
    skipped: 'Time to Live: left as it is.',
  };
  const recovery = {
    'enabled-now': 'Point-in-time recovery: enabled now.',
    'enabled-before': 'Point-in-time recovery: was enabled.',
    unsupported: 'Point-in-time recovery: this engine does not know it.',
    'not-permitted': 'Point-in-time recovery: not enabled, the credentials do not permit it.',
  };
  return [
    created.created
      ? `Table "${table}" is created.`
      : `Table "${table}" was there, with the right key and index.`,
    timeToLive[created.timeToLive],
    recovery[created.pointInTimeRecovery],
  ];
}
