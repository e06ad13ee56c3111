/** `npm run build`: all of `dist`, what is published. */
import { fileURLToPath } from 'node:url';
import { buildPackage } from './package/build-package.js';

await buildPackage(fileURLToPath(new URL('../../dist', import.meta.url)));
// The functions' folder is emptied by their own step.
await import('./bundle-lambdas.js');
