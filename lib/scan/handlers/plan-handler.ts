import type { Environment } from '../../lambda/invocation.js';
import { planScan, type ScanPlan } from '../plan/planner.js';
import { EventFields, parseObject } from './event-fields.js';
import { clientsOnce } from './scan-clients.js';

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
const maxSlices = 100_000;

/**
 * The handler of the plan function: writes the run and its slices, answers the seats.
 *
 * @param options.env where the settings are read from. @default process.env
 * @returns a handler that throws UsageError (not to be retried) and StoreError
 */
export function createPlanHandler(
  options: { readonly env?: Environment } = {},
): (event: unknown) => Promise<ScanPlan> {
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
