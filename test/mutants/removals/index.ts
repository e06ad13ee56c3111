import type { Removal } from '../removal.js';
import { acquireRemovals } from './acquire.js';
import { clockRemovals } from './clock.js';
import { cloudRemovals } from './cloud.js';
import { commandLineRemovals } from './command-line.js';
import { conditionsRemovals } from './conditions.js';
import { constructsRemovals } from './constructs.js';
import { derivedCallsRemovals } from './derived-calls.js';
import { fenceRemovals } from './fence.js';
import { handOverRemovals } from './hand-over.js';
import { holdingRemovals } from './holding.js';
import { invocationRemovals } from './invocation.js';
import { kitLineRemovals } from './kit-line.js';
import { kitPermitsRemovals } from './kit-permits.js';
import { lostAnswersRemovals } from './lost-answers.js';
import { observabilityRemovals } from './observability.js';
import { requestsRemovals } from './requests.js';
import { scanRemovals } from './scan.js';
import { serviceRemovals } from './service.js';
import { watchingRemovals } from './watching.js';

/** Every removal. A new subject brings a file of its own. */
export const removals: readonly Removal[] = [
  ...conditionsRemovals,
  ...acquireRemovals,
  ...lostAnswersRemovals,
  ...clockRemovals,
  ...holdingRemovals,
  ...watchingRemovals,
  ...requestsRemovals,
  ...fenceRemovals,
  ...handOverRemovals,
  ...derivedCallsRemovals,
  ...kitLineRemovals,
  ...kitPermitsRemovals,
  ...scanRemovals,
  ...serviceRemovals,
  ...invocationRemovals,
  ...cloudRemovals,
  ...constructsRemovals,
  ...commandLineRemovals,
  ...observabilityRemovals,
];
