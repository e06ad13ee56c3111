import { dockerMissing } from './docker.js';
import { dynaliteMissing } from './dynalite.js';
import { dynoxideMissing } from './dynoxide.js';
import { endpointMissing } from './endpoint.js';
import { type EngineName, engineNames } from './local-dynamo.js';

/** Which engines can be started here. */
export interface AvailableEngines {
  readonly available: EngineName[];
  /** The others, each with one sentence for people. */
  readonly missing: { readonly engine: EngineName; readonly why: string }[];
}

/**
 * Looks which engines can be started here, without starting any. Takes about a second, and
 * longer only where Docker answers and has to pull the image first.
 *
 * @returns every engine, in one of the two lists, each in the order of preference. Never rejects.
 */
export async function availableEngines(): Promise<AvailableEngines> {
  const result: AvailableEngines = { available: [], missing: [] };
  for (const engine of engineNames) {
    const why = await engineMissing(engine);
    if (why === undefined) result.available.push(engine);
    else result.missing.push({ engine, why });
  }
  return result;
}

/**
 * Whether one engine can be started here.
 *
 * @returns `undefined` when it can, else the reason, one sentence for people.
 */
export async function engineMissing(engine: EngineName): Promise<string | undefined> {
  switch (engine) {
    case 'endpoint':
      return endpointMissing();
    case 'docker':
      return await dockerMissing();
    case 'dynoxide':
      return dynoxideMissing();
    case 'dynalite':
      return dynaliteMissing();
  }
}
