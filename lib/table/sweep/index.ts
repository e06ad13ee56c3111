export { deleteIfExpired, type ExpiryRule, expiredPage } from './expired-items.js';
export { type SweepAnswer, type SweepOptions, sweepLeases } from './sweep-leases.js';
export { sweepName } from './sweep-name.js';
