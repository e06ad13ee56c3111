import { observedFunction } from '../lib/lambda/observability/bundled.js';
import { createWorkHandler } from '../lib/scan/index.js';

export const handler = observedFunction(createWorkHandler());
