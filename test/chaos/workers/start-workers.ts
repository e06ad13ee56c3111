import { join } from 'node:path';
import { findFaketime, WallClock } from '../clocks/faketime.js';
import { FaultyProxy } from '../network/faulty-proxy.js';
import type { PutAway } from '../put-away.js';
import type { Stage } from '../stage.js';
import { ordersEnvironment } from '../worker/orders.js';
import { SupervisedWorker } from './supervised-worker.js';
import { bundleWorker } from './worker-bundle.js';

/** Starts the workers, each with proxies and a wall clock of its own. */
export async function startWorkers(
  stage: Stage,
  putAway: PutAway,
  options: { readonly seed: number; readonly workers: number },
): Promise<SupervisedWorker[]> {
  const script = await bundleWorker(stage.directory);
  const faketime = findFaketime();
  const s3Port = Number(new URL(stage.s3.endpoint).port);
  const workers: SupervisedWorker[] = [];
  for (let worker = 0; worker < options.workers; worker++) {
    const toEngine = putAway.use(await FaultyProxy.start(() => stage.engine.port));
    const toS3 = putAway.use(await FaultyProxy.start(() => s3Port));
    const wallClock = faketime
      ? new WallClock(faketime, join(stage.directory, `wall-clock-${worker}`))
      : undefined;
    const environment = (generation: number) => ({
      ...wallClock?.environment,
      ...ordersEnvironment({
        worker,
        generation,
        seed: options.seed,
        dynamoEndpoint: toEngine.endpoint,
        s3Endpoint: toS3.endpoint,
        journal: join(stage.journals, `worker-${worker}-${generation}.jsonl`),
        board: stage.boardFile,
      }),
    });
    const { reaper } = stage;
    const parts = { worker, script, environment, proxies: [toEngine, toS3], wallClock, reaper };
    const member = new SupervisedWorker(parts);
    workers.push(member);
    putAway.later(() => member.dismiss());
  }
  return workers;
}
