import type { Environment, RemainingTime } from '../../lambda/invocation.js';
import { inventory } from '../results/inventory.js';
import type { Processor } from '../results/processor.js';
import { type SeatAnswer, workSeat } from '../seats/seat-worker.js';
import { EventFields } from './event-fields.js';
import { clientsOnce, ledgered } from './scan-clients.js';

/** What the work function is invoked with: an item of the map. */
export interface WorkEvent {
  readonly run: string;
  readonly seat: number;
}

/**
 * The handler of the work function: a seat that takes slices until none is left, or until its time runs short.
 *
 * @param options.processor what is done with every page. @default the inventory
 * @param options.env where the settings are read from. @default process.env
 * @returns a handler that throws UsageError (not to be retried) and StoreError
 */
export function createWorkHandler(
  options: { readonly processor?: Processor; readonly env?: Environment } = {},
): (event: unknown, context: RemainingTime) => Promise<SeatAnswer> {
  const clients = clientsOnce(options.env ?? process.env);
  let processor: Processor | undefined;
  return async (event, context) => {
    const { settings, locks, s3 } = clients();
    processor ??= ledgered(options.processor ?? inventory(), settings);
    const fields = new EventFields('event', event);
    return workSeat({
      locks,
      s3,
      run: fields.text('run'),
      seat: fields.count('seat', 0, Number.MAX_SAFE_INTEGER),
      processor,
      remainingMs: () => context.getRemainingTimeInMillis(),
    });
  };
}
