import { createPlanHandler } from '../lib/lambda/index.js';

export const handler = createPlanHandler();
