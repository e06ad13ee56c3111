export type { FenceOptions, FencingToken } from './fenced.js';
export { checkRows, type SqlFence, sqlFence } from './guard-sql.js';
export { type CurrentLease, guardTransaction, heldCheck } from './guard-transaction.js';
export { guardDelete, guardPut, guardTombstone, guardUpdate } from './guard-write.js';
