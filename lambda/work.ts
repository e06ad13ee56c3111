import { observed } from '../lib/lambda/observability/index.js';
import { createWorkHandler } from '../lib/scan/index.js';

export const handler = observed(createWorkHandler());
