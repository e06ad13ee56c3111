import { defaultSkewMs } from '../clock/index.js';
import { maxLeaseMs, minRetentionMs } from '../lease/check-options.js';

/** The defaults of a client, each written once: code and documents read them here. All in milliseconds. */
export const defaults = {
  /** How long a lease runs without a renewal. */
  leaseMs: 30_000,
  /** A renewal every this part of the lease: two may fail before it is in danger. */
  renewFraction: 1 / 3,
  /** `signal` fires this part of the lease before its end. */
  safetyMarginFraction: 1 / 10,
  /** How far the store's front ends may disagree about the time. */
  skewMs: defaultSkewMs,
  /** How long an unused item stays before TTL removes it. */
  retentionMs: 7 * 24 * 60 * 60 * 1000,
  /** The least retention: a signed request may sleep for hours in a frozen Lambda (protocol, section 2). */
  minRetentionMs,
  /** The most that `leaseMs`, `minHoldMs` and `lockDelayMs` may be. */
  maxLeaseMs,
  /** The end of one attempt of a request. */
  requestTimeoutMs: 1_000,
  /** Attempts of one request, over all its retries. */
  maxAttempts: 3,
  /** `acquire` tries once and does not wait unless told to. */
  waitMs: 0,
  /** A waiter reads no more often than this … */
  pollFloorMs: 50,
  /** … and no less often than this. */
  pollCeilingMs: 1_000,
} as const;
