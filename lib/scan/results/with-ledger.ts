import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { guardUpdate } from '../../fence/index.js';
import { deadlineAfter, sendUntil } from '../../runtime/index.js';
import type { Processor } from './processor.js';

/** A row is written within this, over all attempts, in milliseconds, or the page has failed. */
const ledgerTimeoutMs = 30_000;

/** Where the ledger's rows are: a table of yours with the partition key `slice` (String). */
export interface LedgerOptions {
  readonly client: Pick<DynamoDBDocumentClient, 'send'>;
  readonly table: string;
}

/**
 * A processor that writes a fenced row for each slice before it hands on a page's result: `run`, `pages`, `lastKey`
 * and `fence`. A holder that was superseded is refused with a `StaleTokenError`, whatever it believes: it does not
 * look at the signal, on purpose, so that the fence alone decides (protocol, section 7).
 */
export function withLedger<Partial>(
  processor: Processor<Partial>,
  ledger: LedgerOptions,
): Processor<Partial> {
  return {
    ...processor,
    async process(page, context) {
      const partial = await processor.process(page, context);
      const command = guardUpdate(context.lease, {
        TableName: ledger.table,
        Key: { slice: page.sliceName },
        UpdateExpression: 'SET #run = :run, #pages = :pages, #lastKey = :lastKey',
        ExpressionAttributeNames: { '#run': 'run', '#pages': 'pages', '#lastKey': 'lastKey' },
        ExpressionAttributeValues: { ':run': page.run, ':pages': page.number, ':lastKey': page.lastKey },
      });
      // The SDK looks at a signal only once it has credentials, and those may hang.
      const deadline = deadlineAfter(context.runtime, ledgerTimeoutMs);
      await sendUntil(deadline, (abortSignal) => ledger.client.send(command, { abortSignal }));
      return partial;
    },
  };
}
