import { type EngineName, startDynamo } from '../../../lib/local/index.js';

// A parent to be killed: starts an engine, says where, and stays.
const engine = await startDynamo({ engine: process.argv[2] as EngineName });
console.log(engine.endpoint);
setInterval(() => {}, 60_000);
