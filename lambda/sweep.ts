import { createSweepHandler } from '../lib/lambda/sweep-handler.js';

export const handler = createSweepHandler();
