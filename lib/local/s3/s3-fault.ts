import type { S3Request } from './s3-request.js';

/**
 * What befalls a request to the S3 endpoint. `deny`: 403; `slow-down`: 503; `internal-error`: 500;
 * `ignore-start-after`: a listing begins at the prefix's first key whatever it was asked (some stores do that);
 * `empty-page`: a listing begins with a page without keys that says that there are more, as S3's may behind many deleted ones;
 * `drop`: connection reset before anything happens; `drop-answer`: after it was done; `hang`: never answered;
 * `delayMs`: answered later.
 */
export type S3Fault =
  | 'ok'
  | 'deny'
  | 'slow-down'
  | 'internal-error'
  | 'ignore-start-after'
  | 'empty-page'
  | 'drop'
  | 'drop-answer'
  | 'hang'
  | { readonly delayMs: number };

/** Decides on each request. */
export type S3FaultHook = (request: S3Request) => S3Fault | Promise<S3Fault>;
