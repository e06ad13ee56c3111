import { createSweepHandler } from '../lib/lambda/index.js';
import { observedFunction } from '../lib/lambda/observability/bundled.js';

export const handler = observedFunction(createSweepHandler());
