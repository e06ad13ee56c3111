import { observed } from '../lib/lambda/observability/index.js';
import { createPlanHandler } from '../lib/scan/index.js';

export const handler = observed(createPlanHandler());
