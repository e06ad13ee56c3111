import type { Environment } from '../../lambda/invocation.js';
import { inventory } from '../results/inventory.js';
import type { Processor } from '../results/processor.js';
import { type ScanVerdict, verifyScan } from '../results/verify-scan.js';
import { EventFields } from './event-fields.js';
import { clientsOnce } from './scan-clients.js';
import { type SeatEnd, seatEnds } from './seat-end.js';
import { type VerdictAnswer, verdictAnswer } from './verdict-answer.js';

/** What the verify function is invoked with. */
export interface VerifyEvent {
  readonly run: string;
  /** How the seats of the last round ended. @default nothing is known about them */
  readonly seats?: readonly SeatEnd[];
}

/**
 * The handler of the verify function: reads every slice, proves that they tile, merges their results.
 *
 * @param options.processor the one that the work was done with. @default the inventory
 * @param options.env where the settings are read from. @default process.env
 * @returns a handler that throws UsageError (not to be retried) and StoreError
 */
export function createVerifyHandler(
  options: { readonly processor?: Processor; readonly env?: Environment } = {},
): (event: unknown) => Promise<VerdictAnswer> {
  const clients = clientsOnce(options.env ?? process.env);
  return async (event) => {
    const { locks, s3 } = clients();
    const run = new EventFields('event', event).text('run');
    const seats = seatEnds((event as Partial<VerifyEvent>).seats);
    const processor = options.processor ?? inventory();
    const verdict: ScanVerdict = await verifyScan({ locks, s3, run, processor });
    return verdictAnswer(verdict, seats);
  };
}
