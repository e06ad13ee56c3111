import { quoted, UsageError } from '../errors/index.js';
import { checkOptions } from '../lease/check-options.js';
import { checkLease, checkToken, type FencingToken } from './fenced.js';

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
 * @throws UsageError for a token that is none, and for options that can't be right
 */
export function sqlFence(
  lease: FencingToken,
  options: { readonly placeholder: string; readonly column?: string },
): SqlFence {
  checkLease(lease);
  checkOptions('sqlFence', options, ['placeholder', 'column']);
  checkText(lease, 'placeholder', options.placeholder);
  if (options.column !== undefined) checkText(lease, 'column', options.column);
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
 * @throws StaleTokenError when `rowCount` is 0; UsageError for a token that is none, or a count that is none: some drivers
 *   give a list of counts
 */
export function checkRows(
  lease: FencingToken,
  rowCount: number | bigint | null | undefined,
  currentToken?: number,
): void {
  // Of the token only: the row is written, whatever became of the lease since.
  checkToken(lease);
  checkCount(lease, rowCount);
  if (!rowCount) throw staleToken(lease, currentToken, 'sql');
}

/** A text or a list would count as written, whatever stands in it. */
function checkCount(lease: FencingToken, rowCount: unknown): void {
  if (rowCount === undefined || rowCount === null) return;
  if (typeof rowCount === 'bigint' ? rowCount >= 0n : Number.isSafeInteger(rowCount) && Number(rowCount) >= 0)
    return;
  throw new UsageError(
    `checkRows: needs the number of rows that were changed, got ${quoted(rowCount)}`,
    lease.name,
  );
}

/** Into the statement it goes as it is: `undefined` would be a column's name. */
function checkText(lease: FencingToken, option: string, text: unknown): void {
  if (typeof text === 'string' && text.trim() !== '') return;
  throw new UsageError(`sqlFence: ${option} must be a text, got ${quoted(text)}`, lease.name);
}
