import { resolveInstalled } from '../../installed/resolve-installed.js';
import { startGuarded } from './guarded-process.js';
import { EngineUnavailableError, type LocalDynamo, localDynamo } from './local-dynamo.js';

// In a process of its own: a test that blocks its event loop must not stop its database, too.
const serve = `
  process.stdin.resume().once('close', () => process.exit(0)).on('error', () => {});
  const server = require(process.argv[1])({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port + ';'));
`;

/**
 * Whether dynalite's package is here.
 *
 * @returns `undefined` when it is, else the reason.
 */
export function dynaliteMissing(): string | undefined {
  return modulePath() ? undefined : 'the package dynalite is not installed: npm install --save-dev dynalite';
}

/**
 * Starts dynalite, in memory, in its own process.
 *
 * @throws EngineUnavailableError when the package is not there or the process does not come up.
 */
export async function startDynalite(limit: AbortSignal): Promise<LocalDynamo> {
  const path = modulePath();
  if (!path) throw new EngineUnavailableError('dynalite', dynaliteMissing() ?? 'not installed');
  const child = startGuarded(process.execPath, ['-e', serve, path]);
  try {
    const [, port] = await child.firstMatch(/listening on (\d+);/, limit);
    return localDynamo({
      engine: 'dynalite',
      endpoint: `http://127.0.0.1:${port}`,
      capabilities: { transactions: false, refusedItem: false, timeToLive: false },
      stop: () => child.stop(),
    });
  } catch (cause) {
    await child.stop();
    throw new EngineUnavailableError('dynalite', 'its process did not come up', { cause });
  }
}

const modulePath = () => resolveInstalled('dynalite');
