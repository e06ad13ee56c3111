import { observedFunction } from '../lib/lambda/observability/bundled.js';
import { createVerifyHandler } from '../lib/scan/index.js';

export const handler = observedFunction(createVerifyHandler());
