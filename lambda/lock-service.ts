import { startLockServiceHandler } from '../lib/lambda/lock-service-handler.js';
import { observedFunction } from '../lib/lambda/observability/bundled.js';

export const handler = observedFunction(startLockServiceHandler());
