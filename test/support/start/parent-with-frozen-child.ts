/** A program with two execution environments, one of them stopped; tells their process ids, then waits to be ended. */
import { startLocalLambda } from '../../../bin/start/state-machine/local-lambda.js';

const lambda = await startLocalLambda({ functions: { acting: { handler: process.argv[2] ?? '' } } });
await Promise.all([
  lambda.invoke('acting', { act: 'answer', afterMs: 50 }),
  lambda.invoke('acting', { act: 'answer', afterMs: 50 }),
]);
const pids = lambda.environments().map((environment) => environment.pid);
lambda.freeze(pids[0] ?? 0);
process.send?.({ pids });
setInterval(() => {}, 1_000);
