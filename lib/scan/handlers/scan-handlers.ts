import type { Environment, RemainingTime } from '../../lambda/invocation.js';
import { observed } from '../../lambda/observability/index.js';
import { checkCall } from '../check-call.js';
import { maxSlices } from '../plan/plan-options.js';
import { planScan, type ScanPlan } from '../plan/planner.js';
import { inventory } from '../results/inventory.js';
import type { Processor } from '../results/processor.js';
import { type ScanVerdict, verifyScan } from '../results/verify-scan.js';
import { type SeatAnswer, workSeat } from '../seats/seat-worker.js';
import { EventFields, parseObject } from './event-fields.js';
import { clientsOnce, ledgered } from './scan-clients.js';
import { type SeatEnd, seatEnds, type VerdictAnswer, verdictAnswer } from './verdict-answer.js';

const takes = { processor: false, env: false };

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
 * @throws UsageError for what is no processor, and for an option that it does not have; so do the three below
 */
export function createScanHandlers(
  options: { readonly processor?: Processor; readonly env?: Environment } = {},
): ScanHandlers {
  checkCall('createScanHandlers', options, takes);
  const { env = process.env, processor = inventory() } = options;
  return {
    plan: observed(createPlanHandler({ env }), { env }),
    work: observed(createWorkHandler({ env, processor }), { env }),
    verify: observed(createVerifyHandler({ env, processor }), { env }),
  };
}

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
  checkCall('createVerifyHandler', options, takes);
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
  checkCall('createWorkHandler', options, takes);
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

/** What the plan function is invoked with. */
export interface PlanEvent {
  /** The run's id; the state machine gives its execution's name. */
  readonly run: string;
  /** The execution's own input: any field of {@link PlanInput}, and `run` to go on with an earlier run. */
  readonly input?: Partial<PlanInput> & { readonly run?: string };
  /** What counts where the input says nothing. */
  readonly defaults?: Partial<PlanInput>;
}

/** What to scan, and how. */
export interface PlanInput {
  readonly bucket: string;
  /** @default the whole bucket */
  readonly prefix?: string;
  /** How many seats: 1 to 1,000. */
  readonly seats: number;
  /** How many slices to plan. @default one a seat */
  readonly slices?: number;
  /** Keys a request: 1 to 1,000. @default 1,000 */
  readonly pageSize?: number;
  /** Cuts given by hand, or taken from an earlier run. */
  readonly cuts?: readonly string[];
  /** The bucket is a requester-pays bucket. @default `LEASEHOLD_REQUESTER_PAYS` of the functions, else false */
  readonly requesterPays?: boolean;
}

/** Each seat is an item of the map's input; 1,000 of them and the verdict fit into Step Functions' 256 KB. */
const maxSeats = 1_000;

/**
 * The handler of the plan function: writes the run and its slices, answers the seats.
 *
 * @param options.env where the settings are read from. @default process.env
 * @returns a handler that throws UsageError (not to be retried) and StoreError
 */
export function createPlanHandler(
  options: { readonly env?: Environment } = {},
): (event: unknown) => Promise<ScanPlan> {
  // The options of all three may be one object.
  checkCall('createPlanHandler', options, takes);
  const clients = clientsOnce(options.env ?? process.env);
  return async (event) => {
    const { settings, locks, s3 } = clients();
    const request = planRequest(event);
    const { requesterPays = settings.requesterPays } = request;
    return planScan({ locks, s3, ...request, requesterPays, output: settings.output });
  };
}

function planRequest(event: unknown): PlanInput & { readonly run: string } {
  const { run, input, defaults } = parseObject('event', event);
  const given = { run, ...parseObject('defaults', defaults), ...parseObject('input', input) };
  const fields = new EventFields('input', given);
  return {
    run: fields.text('run'),
    bucket: fields.text('bucket'),
    prefix: fields.optionalText('prefix'),
    seats: fields.count('seats', 1, maxSeats),
    slices: fields.optionalCount('slices', 1, maxSlices),
    pageSize: fields.optionalCount('pageSize', 1, 1_000),
    cuts: fields.optionalTexts('cuts'),
    requesterPays: fields.optionalFlag('requesterPays'),
  };
}
