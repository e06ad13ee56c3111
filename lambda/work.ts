import { createWorkHandler, observed } from '../lib/lambda/index.js';

export const handler = observed(createWorkHandler());
