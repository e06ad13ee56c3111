import { ensureStoreTime, isNarrow, type TableContext, takeoverBefore } from '../lease/index.js';
import { mayBeRaised } from '../lease/later-conditions.js';
import { tooVague } from '../lease/time-errors.js';
import { inParallel } from '../scan/seats/in-parallel.js';

/** Which table, and from where on. */
export interface RaiseTokensOptions {
  /** Of a client of the table: `locks.context`. */
  readonly context: TableContext;
  /** Goes on after this name, as an earlier run told by {@link onPage}. @default the beginning */
  readonly after?: string;
  /** Told after each page: the counts so far, and the name to go on after if it is interrupted now. */
  readonly onPage?: (counts: RaisedTokens, after: string | undefined) => void;
  readonly signal?: AbortSignal;
}

/** What became of the items. */
export interface RaisedTokens {
  /** Items read, other people's included. */
  readonly scanned: number;
  readonly raised: number;
  /** Left alone, since a lease of theirs runs: its holder's token would not fit any more. The next grant is above all the same. */
  readonly held: number;
  /** Left alone: not written by Leasehold, or above already. */
  readonly passedOver: number;
}

/** Writes under way at once. */
const lanes = 8;

/**
 * Lifts the token of every lock that nobody holds above any token that can have been given until now, in a table whose
 * items are older than what was granted under their names: restored from a backup (point-in-time recovery too), imported,
 * or copied. A grant takes the store's time for its token, so it rises without this, too; what this adds is that the items
 * themselves show no token of the past. Run it before anybody uses the table.
 *
 * Each write is conditional, so it can be run again, or go on where it was interrupted, while locks are in use. The command
 * line has it as `leasehold table raise-tokens`.
 *
 * @returns the counts of this run
 * @throws StoreError when the table can't be used, or its time is not known well enough; the signal's own reason
 */
export async function raiseTokens(options: RaiseTokensOptions): Promise<RaisedTokens> {
  const { signal } = options;
  try {
    return await raiseAll(options);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}

async function raiseAll({ context, after, onPage, signal }: RaiseTokensOptions): Promise<RaisedTokens> {
  await ensureStoreTime(context, signal);
  const now = context.clock.now();
  if (!isNarrow(now)) throw tooVague(context.table.tableName, now);
  const token = Math.ceil(now.latest + context.skewMs);
  const counts = { scanned: 0, raised: 0, held: 0, passedOver: 0 };
  for await (const items of context.table.scan(signal, { ...(after !== undefined && { after }) })) {
    await inParallel(items, lanes, async (item) => {
      signal?.throwIfAborted();
      counts[await raise(context, String(item.name), token, signal)] += 1;
    });
    counts.scanned += items.length;
    const last = items.at(-1)?.name;
    onPage?.({ ...counts }, last === undefined ? after : String(last));
  }
  return counts;
}

async function raise(context: TableContext, name: string, token: number, signal: AbortSignal | undefined) {
  const before = takeoverBefore(context);
  const change = {
    compute: { version: { text: ':token', values: { ':token': token } } },
    condition: mayBeRaised(token, before),
  };
  const answer = await context.table.update(name, change, signal);
  if (answer.applied) return 'raised';
  const { leaseId, expiresAt } = answer.item ?? {};
  return leaseId !== undefined && Number(expiresAt) >= before ? 'held' : 'passedOver';
}
