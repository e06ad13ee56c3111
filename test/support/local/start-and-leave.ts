import { type EngineName, startDynamo, startS3 } from '../../../lib/local/index.js';

// Starts both and forgets to stop them: the process has to end by itself all the same.
const engine = await startDynamo({ engine: process.argv[2] as EngineName });
await startS3({ buckets: { here: import.meta.dirname } });
console.log(engine.endpoint);
