import { ofHandingOver } from './of-handing-over.js';
import { ofHolding } from './of-holding.js';
import { ofLostAnswers } from './of-lost-answers.js';
import { ofRequests } from './of-requests.js';
import { ofTheClocks } from './of-the-clocks.js';
import { ofTheCloud } from './of-the-cloud.js';
import { ofTheConditions } from './of-the-conditions.js';
import { ofTheInvocation } from './of-the-invocation.js';
import { ofTheObservability } from './of-the-observability.js';
import { ofTheScan } from './of-the-scan.js';
import { ofTheService } from './of-the-service.js';
import type { Protection } from './protection.js';

/** All protections. A new area brings a file of its own. */
export const protections: readonly Protection[] = [
  ...ofTheConditions,
  ...ofLostAnswers,
  ...ofTheClocks,
  ...ofHolding,
  ...ofRequests,
  ...ofTheCloud,
  ...ofTheInvocation,
  ...ofHandingOver,
  ...ofTheScan,
  ...ofTheService,
  ...ofTheObservability,
];
