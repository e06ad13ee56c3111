import type { Check } from '../history/history.js';
import { checkHolders } from './holders.js';
import { checkLiveness } from './liveness.js';
import { checkMonotony } from './monotony.js';
import { checkResources } from './resources.js';
import { checkSeats } from './seats.js';
import { checkPages } from './slice-pages.js';
import { checkSliceProgress } from './slice-progress.js';
import { checkTiling } from './slice-tiling.js';
import { checkStaleWrites } from './stale-writes.js';
import { checkTakeovers } from './takeovers.js';
import { checkTokens } from './tokens.js';
import { checkVerdict } from './verdict.js';

/** What scan.md adds to the invariants, and those of the leases below. */
export const scanChecks: readonly Check[] = [
  checkTiling,
  checkSliceProgress,
  checkPages,
  checkVerdict,
  checkSeats,
  checkTokens,
  checkHolders,
  checkTakeovers,
  checkResources,
  checkStaleWrites,
  checkMonotony,
  checkLiveness,
];
