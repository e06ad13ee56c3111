export type { FencingToken } from '../fenced.js';
export { guardedPutObject, tokenMetadataKey } from './guard-s3.js';
