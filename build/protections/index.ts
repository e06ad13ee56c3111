import { ofHolding } from './of-holding.js';
import { ofLostAnswers } from './of-lost-answers.js';
import { ofRequests } from './of-requests.js';
import { ofTheClocks } from './of-the-clocks.js';
import { ofTheConditions } from './of-the-conditions.js';
import type { Protection } from './protection.js';

/** All protections. A new area brings a file of its own. */
export const protections: readonly Protection[] = [
  ...ofTheConditions,
  ...ofLostAnswers,
  ...ofTheClocks,
  ...ofHolding,
  ...ofRequests,
];
