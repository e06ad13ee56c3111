import { LockClient, type LockClientOptions } from '../client/index.js';
import { UsageError } from '../errors/index.js';
import type { Environment } from './invocation.js';

/**
 * The lock client, made at the first invocation and kept for all later ones of the same execution environment. Not made
 * when the module loads: an error there has no name that a state machine could match.
 *
 * @param given a client, or what one is made with; absent: what the environment says
 * @returns throws a UsageError that names the option, or the variable that is missing
 */
export function locksOnce(
  given: LockClient | LockClientOptions | undefined,
  env: Environment,
): () => LockClient {
  let made: LockClient | undefined;
  return () => {
    // Not by its class: a function may have been bundled with two copies of it.
    if (given && 'acquire' in given) return given;
    made ??= new LockClient(given ?? readOptions(env));
    return made;
  };
}

function readOptions(env: Environment): LockClientOptions {
  const table = env.LEASEHOLD_TABLE?.trim();
  const service = env.LEASEHOLD_SERVICE?.trim();
  if (!table && !service) {
    throw new UsageError(
      'locks: neither a client nor its options were given, and neither LEASEHOLD_TABLE nor LEASEHOLD_SERVICE is set',
    );
  }
  // Other addresses than AWS's are for tests.
  const endpoint = (service ? env.LEASEHOLD_LAMBDA_ENDPOINT : env.LEASEHOLD_DYNAMODB_ENDPOINT)?.trim();
  const ownerKey = env.LEASEHOLD_OWNER_KEY?.trim();
  return {
    ...(table && { table }),
    ...(service && { service }),
    ...(endpoint && { endpoint }),
    ...(ownerKey && { ownerKey }),
  };
}
