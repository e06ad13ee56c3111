import { afterAll, afterEach, beforeAll } from 'vitest';
import type { EngineName } from '../../lib/local/index.js';
import { Stage } from './stage.js';
import { until } from './until.js';

/** The stage of a suite, started before its first test. */
export interface StageOfSuite {
  readonly it: Stage;
  /** A lock name that no other test has used. */
  readonly name: () => string;
}

/**
 * A stage for all tests of a suite. After each test its actors end, and neither timers nor sockets may be left.
 *
 * @param options.leasesLeft tests may leave leases behind that nobody ended (their holder "died")
 */
export function useStage(
  options: { readonly engine?: EngineName; readonly leasesLeft?: boolean } = {},
): StageOfSuite {
  let stage: Stage | undefined;
  let names = 0;
  beforeAll(async () => {
    stage = await Stage.open(options.engine);
  });
  afterEach(async () => {
    await stage?.clear({ leasesLeft: options.leasesLeft ?? false });
    stage?.raw.destroy();
    // A socket that is destroyed is gone a moment later.
    await until('no socket is left', () => !process.getActiveResourcesInfo().includes('TCPSocketWrap'));
  });
  afterAll(() => stage?.close());
  return {
    get it() {
      return stage!;
    },
    name: () => `lock-${++names}`,
  };
}
