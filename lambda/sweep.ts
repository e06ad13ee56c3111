import { createSweepHandler, observed } from '../lib/lambda/index.js';

export const handler = observed(createSweepHandler());
