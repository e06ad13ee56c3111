import { availableEngines } from '../../lib/local/index.js';

const found = await availableEngines();

/** Engines that can be started here; contract suites run over each of them. */
export const engines = found.available;

/** The others, each with the reason: suites show them as skipped. */
export const missingEngines = found.missing;

/** The engine of suites that need only one: the quickest that is there, unless an endpoint is given. */
export const oneEngine =
  (['endpoint', 'dynoxide', 'dynalite'] as const).find((engine) => engines.includes(engine)) ?? 'dynalite';
