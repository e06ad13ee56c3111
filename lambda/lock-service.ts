import { createLockServiceHandler, observed } from '../lib/lambda/index.js';

export const handler = observed(createLockServiceHandler());
