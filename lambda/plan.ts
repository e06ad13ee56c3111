import { observedFunction } from '../lib/lambda/observability/bundled.js';
import { createPlanHandler } from '../lib/scan/index.js';

export const handler = observedFunction(createPlanHandler());
