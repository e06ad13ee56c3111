/** The lock that a sweep holds, so that two never run at once; the place where it got to is its checkpoint. */
export const sweepName = 'leasehold/sweep';
