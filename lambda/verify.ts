import { observed } from '../lib/lambda/observability/index.js';
import { createVerifyHandler } from '../lib/scan/index.js';

export const handler = observed(createVerifyHandler());
