import { refuse } from '../../errors/index.js';
import { checkNumber, checkOptions } from '../../lease/check-options.js';
import { dockerMissing, startDocker } from './docker.js';
import { dynaliteMissing, startDynalite } from './dynalite.js';
import { dynoxideMissing, startDynoxide } from './dynoxide.js';
import { endpointMissing, startEndpoint } from './endpoint.js';
import { type EngineName, EngineUnavailableError, engineNames, type LocalDynamo } from './local-dynamo.js';

/** How {@link startDynamo} chooses. */
export interface StartDynamoOptions {
  /** This engine and no other. Without it: the first that is there, in the order of `EngineName`. */
  readonly engine?: EngineName;
  /** `false` passes Docker over, for tests that must start fast. Default `true`. */
  readonly allowDocker?: boolean;
  /** Bound for the start. Default two minutes with Docker (it may pull an image), else 20 seconds. */
  readonly startTimeoutMs?: number;
}

/**
 * Starts a DynamoDB on this machine: an endpoint given by `LEASEHOLD_DYNAMODB_ENDPOINT`, DynamoDB Local in
 * Docker, the dynoxide binary, or dynalite, whichever comes first and is there. Several may run at once.
 *
 * @returns the running engine; stop it, or let `await using` do so. It ends with this process in any case.
 * @throws UsageError for an option that can't be right; EngineUnavailableError when the engine asked for, or the first one found, can't be started.
 */
export async function startDynamo(options: StartDynamoOptions = {}): Promise<LocalDynamo> {
  checkOptions('startDynamo', options, ['engine', 'allowDocker', 'startTimeoutMs']);
  if (options.engine !== undefined && !engineNames.includes(options.engine))
    refuse('engine', `one of ${engineNames.join(', ')}`, options.engine);
  if (options.startTimeoutMs !== undefined) checkNumber('startTimeoutMs', options.startTimeoutMs, 1);
  const engine = options.engine ?? (await firstAvailable(options.allowDocker ?? true));
  const startTimeoutMs = options.startTimeoutMs ?? (engine === 'docker' ? 120_000 : 20_000);
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new Error(`not ready within ${startTimeoutMs} ms`)),
    startTimeoutMs,
  );
  try {
    return await start(engine, limit.signal, startTimeoutMs);
  } finally {
    clearTimeout(timer);
  }
}

async function firstAvailable(allowDocker: boolean): Promise<EngineName> {
  for (const engine of engineNames) {
    if (engine === 'docker' && !allowDocker) continue;
    // An endpoint that was given but is wrong must be told, not passed over for another engine.
    if (engine === 'endpoint' && process.env.LEASEHOLD_DYNAMODB_ENDPOINT) return engine;
    if ((await engineMissing(engine)) === undefined) return engine;
  }
  throw new EngineUnavailableError(
    'dynalite',
    'no engine is installed here: npm install --save-dev dynalite (small; no transactions), or testcontainers where Docker runs',
  );
}

function start(engine: EngineName, limit: AbortSignal, startTimeoutMs: number): Promise<LocalDynamo> {
  switch (engine) {
    case 'endpoint':
      return startEndpoint(limit);
    case 'docker':
      return startDocker(limit, startTimeoutMs);
    case 'dynoxide':
      return startDynoxide(limit);
    case 'dynalite':
      return startDynalite(limit);
  }
}

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
async function engineMissing(engine: EngineName): Promise<string | undefined> {
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
