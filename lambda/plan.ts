import { createPlanHandler, observed } from '../lib/lambda/index.js';

export const handler = observed(createPlanHandler());
