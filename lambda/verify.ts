import { createVerifyHandler, observed } from '../lib/lambda/index.js';

export const handler = observed(createVerifyHandler());
