import type { Environment } from '../../lambda/invocation.js';
import { observed } from '../../lambda/observability/index.js';
import type { Processor } from '../results/processor.js';
import { createPlanHandler } from './plan-handler.js';
import { createVerifyHandler } from './verify-handler.js';
import { createWorkHandler } from './work-handler.js';

/** The handlers of a scan's three functions. */
export interface ScanHandlers {
  readonly plan: ReturnType<typeof createPlanHandler>;
  readonly work: ReturnType<typeof createWorkHandler>;
  readonly verify: ReturnType<typeof createVerifyHandler>;
}

/**
 * All handlers of a scan with a processor of your own, with logs and metrics as our own have them. Work and verify must
 * have the same one: what the one made of the pages, the other merges. Hence one module that exports both, which
 * `SliceScan` takes as its `processor`:
 *
 * ```ts
 * export const { plan, work, verify } = createScanHandlers({ processor: lineCounts() });
 * ```
 *
 * @param options.processor what is done with every page. @default the inventory
 * @param options.env where the settings are read from. @default process.env
 */
export function createScanHandlers(
  options: { readonly processor?: Processor; readonly env?: Environment } = {},
): ScanHandlers {
  return {
    plan: observed(createPlanHandler(options), options),
    work: observed(createWorkHandler(options), options),
    verify: observed(createVerifyHandler(options), options),
  };
}
