import { checkLease, checkToken } from './check-lease.js';
import type { FencingToken } from './fenced.js';
import { staleToken } from './stale-token.js';

/** The parts of an UPDATE that keep an older holder out. */
export interface SqlFence {
  /** For the SET list: `fence = $1`. */
  readonly set: string;
  /** For the WHERE clause: `(fence IS NULL OR fence <= $1)`. */
  readonly where: string;
  /** The value of the placeholder. Tokens stay below 2^53; the column must be BIGINT. */
  readonly value: number;
}

/**
 * The fence for a row, for any driver:
 *
 * ```ts
 * const fence = sqlFence(lease, { placeholder: '$1' });
 * const { rowCount } = await db.query(
 *   `UPDATE batches SET state = 'settled', ${fence.set} WHERE id = $2 AND ${fence.where}`, [fence.value, id]);
 * checkRows(lease, rowCount);
 * ```
 *
 * @param options `placeholder` as the driver writes it; a positional `?` must be given twice. `column`: default "fence"
 * @throws UsageError for a token that is none
 */
export function sqlFence(
  lease: FencingToken,
  options: { readonly placeholder: string; readonly column?: string },
): SqlFence {
  checkLease(lease);
  const column = options.column ?? 'fence';
  return {
    set: `${column} = ${options.placeholder}`,
    where: `(${column} IS NULL OR ${column} <= ${options.placeholder})`,
    value: lease.token,
  };
}

/**
 * No row changed means that a newer holder has written (or that there is no such row: insert it first).
 *
 * @param rowCount the number of rows that the driver reports as changed
 * @param currentToken the row's fence, if the caller has read it, for the message
 * @throws StaleTokenError when `rowCount` is 0; UsageError for a token that is none
 */
export function checkRows(
  lease: FencingToken,
  rowCount: number | null | undefined,
  currentToken?: number,
): void {
  // Of the token only: the row is written, whatever became of the lease since.
  checkToken(lease);
  if (!rowCount) throw staleToken(lease, currentToken, 'sql');
}
