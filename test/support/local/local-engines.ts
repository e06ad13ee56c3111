import { availableEngines, type EngineName } from '../../../lib/local/index.js';

const { available, missing } = await availableEngines();
for (const { engine, why } of missing) console.info(`not tested with ${engine}: ${why}`);

/** Engines of this machine. */
export const engines: readonly EngineName[] = available;

/** Those that run as child processes and start within a moment. */
export const quickEngines = available.filter((engine) => engine === 'dynoxide' || engine === 'dynalite');
