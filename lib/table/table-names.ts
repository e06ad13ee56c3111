/** The lock that a sweep holds, so that two never run at once; the place where it got to is its checkpoint. */
export const sweepName = 'leasehold/sweep';

/** The index over `group`, keys only: renewals cost it nothing. */
export const groupIndexName = 'byGroup';

/** The item that a ping reads. It need not exist, and policies allow it to everyone who may use the table. */
export const pingName = 'leasehold/ping';
