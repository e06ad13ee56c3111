import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoreClock } from '../clock/store-clock.js';
import { type Asked, findKind, toFailure, toSdkError } from '../errors/index.js';
import { publish } from '../events/events.js';
import { groupIndexName } from './table-names.js';

/** What was asked, and how. */
export interface TableRequest {
  readonly tableName: string;
  readonly lockName: string | undefined;
  readonly kind: 'read' | 'write';
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly clock: StoreClock;
}

/** The store's error as ours; that it is throttled is told, since most of it is waited out without another word. */
export async function toTableFailure(error: unknown, asked: TableRequest): Promise<Error> {
  const { tableName, lockName, kind, client, clock } = asked;
  if (isThrottling(error)) publish('throttled', { table: tableName, name: lockName, error });
  const region = isMissing(error) ? await findRegion(client) : undefined;
  return toStoreError(error, tableName, lockName, kind, { region, answeredBefore: clock.isSet });
}

/** The Region that the client asks, as far as it tells. */
async function findRegion(client: object): Promise<string | undefined> {
  const { config } = client as { readonly config?: { readonly region?: () => Promise<string> } };
  try {
    return await config?.region?.();
  } catch {
    return undefined;
  }
}

/** Whether the store refused a request because there were too many. */
function isThrottling(error: unknown): boolean {
  return findKind(toSdkError(error)) === 'throttled';
}

/** Whether there is no such table where it was looked for. */
function isMissing(error: unknown): boolean {
  return findKind(toSdkError(error)) === 'missing';
}

/**
 * The store's error as ours, as {@link toFailure} says.
 *
 * @param asked.region where it was looked for, if that is known
 */
export function toStoreError(
  error: unknown,
  table: string,
  lockName?: string,
  kind: Asked['kind'] = 'write',
  asked: Pick<Asked, 'answeredBefore'> & { readonly region?: string | undefined } = {},
): Error {
  const { region, ...rest } = asked;
  return toFailure(error, {
    ...rest,
    what: `Table "${table}"`,
    lockName,
    kind,
    words: findWords(error, region),
  });
}

/** DynamoDB has one name for all that it does not like about a request; only its message tells them apart. */
function findWords(error: unknown, region: string | undefined): string | undefined {
  const { name, message } = toSdkError(error);
  if (isMissing(error)) {
    const where = region === undefined ? '' : ` (${region})`;
    return `does not exist in this account and Region${where}; "leasehold table create" makes it`;
  }
  if (name !== 'ValidationException') return undefined;
  if (/item size/i.test(message)) return 'refused the item as too large, 400 KB is the most';
  if (/index/i.test(message)) return `lacks the index "${groupIndexName}", which lists a group`;
  return 'refused the request; does it have the partition key "name" (String) and no sort key?';
}
