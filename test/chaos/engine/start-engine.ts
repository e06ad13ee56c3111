import { join } from 'node:path';
import { startDynamo } from '../../../lib/local/index.js';
import type { Engine } from './engine.js';
import { dynoxideBinary, KeptDynoxide } from './kept-dynoxide.js';

/** Starts dynoxide where it is installed, otherwise dynalite, which keeps nothing over a restart. */
export async function startEngine(directory: string): Promise<Engine> {
  const binary = dynoxideBinary();
  if (binary) return KeptDynoxide.start(binary, join(directory, 'engine.sqlite'));
  const dynamo = await startDynamo({ engine: 'dynalite' });
  return {
    name: dynamo.engine,
    port: Number(new URL(dynamo.endpoint).port),
    noRestart: 'dynoxide is not installed, and dynalite keeps no data',
    restart: () => Promise.reject(new Error('this engine keeps no data')),
    [Symbol.asyncDispose]: () => dynamo.stop(),
  };
}
