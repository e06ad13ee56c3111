export { sweepName } from '../table-names.js';
export { deleteIfExpired, type ExpiryRule, expiredPage } from './expired-items.js';
export { type SweepAnswer, type SweepOptions, sweepLeases } from './sweep-leases.js';
