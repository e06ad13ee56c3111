import { createLockServiceHandler } from '../lib/lambda/index.js';
import { observedFunction } from '../lib/lambda/observability/bundled.js';

export const handler = observedFunction(createLockServiceHandler());
