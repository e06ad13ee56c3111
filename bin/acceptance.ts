/** `npm run acceptance`: deploys, looks, measures, and removes everything. */
import { main } from './acceptance/main.js';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`Error: ${(error as Error).message}`);
  process.exitCode = 1;
}
