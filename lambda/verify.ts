import { createVerifyHandler } from '../lib/lambda/index.js';

export const handler = createVerifyHandler();
