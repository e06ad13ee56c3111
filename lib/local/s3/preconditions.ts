import type { IncomingHttpHeaders } from 'node:http';
import type { ObjectStat } from './object-stat.js';
import { noSuchKey, notImplemented, preconditionFailed } from './s3-error.js';

/**
 * Checks `If-Match` and `If-None-Match` of a write.
 *
 * @param current what is there now.
 * @throws S3Error `PreconditionFailed` (412); `NoSuchKey` (404) for an `If-Match` on nothing, as S3 does.
 */
export function checkWrite(headers: IncomingHttpHeaders, current: ObjectStat | undefined): void {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch !== '*') throw notImplemented('If-None-Match with an ETag, on a write,');
    if (current) throw preconditionFailed();
  }
  if (ifMatch !== undefined) {
    if (!current) throw noSuchKey();
    if (!names(ifMatch, current)) throw preconditionFailed();
  }
}

/**
 * Checks `If-Match` and `If-None-Match` of a read.
 *
 * @returns `false` when the answer is 304, not modified.
 * @throws S3Error `PreconditionFailed`.
 */
export function checkRead(headers: IncomingHttpHeaders, current: ObjectStat): boolean {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifMatch !== undefined && !names(ifMatch, current)) throw preconditionFailed();
  return ifNoneMatch === undefined || !names(ifNoneMatch, current);
}

function names(header: string, { etag }: ObjectStat): boolean {
  const quoted = header.split(',').map((one) => one.trim().replace(/^"?([^"]*)"?$/, '"$1"'));
  return header.trim() === '*' || quoted.includes(etag);
}
