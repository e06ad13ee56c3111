import { createWorkHandler } from '../lib/lambda/index.js';

export const handler = createWorkHandler();
