import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleDirectory } from '../../lib/cdk/functions/bundle-directory.js';
import type { RunProgress } from './run-progress.js';
import { type LocalLambda, startLocalLambda } from './state-machine/local-lambda.js';
import { isWorkerMessage, type WorkerEvent } from './worker-event.js';

/** As deployed: 15 minutes for a worker, 5 for the others. */
const workTimeoutMs = 900_000;
const otherTimeoutMs = 300_000;

/** What the functions of a run are made of. */
export interface RunFunctionsParts {
  /** Their environment: endpoints, tables, the lease. */
  readonly env: Readonly<Record<string, string>>;
  readonly faultDirectory: string;
  readonly progress: RunProgress;
  /** Told what workers do, after the progress has it. */
  readonly onEvent: (event: WorkerEvent) => void;
}

/**
 * Starts the three functions from the bundles that would be deployed, each invocation in a process. Nothing in them
 * knows of this run's view or its faults: both ride on a module that is loaded before.
 */
export function startRunFunctions(parts: RunFunctionsParts): Promise<LocalLambda> {
  const { env, faultDirectory, progress, onEvent } = parts;
  const preload = [
    fileURLToPath(new URL(`faults/worker-preload${readExtension(import.meta.url)}`, import.meta.url)),
  ];
  const handler = (name: 'plan' | 'work' | 'verify') => join(bundleDirectory(name), 'index.mjs');
  return startLocalLambda({
    functions: {
      plan: { handler: handler('plan'), env, timeoutMs: otherTimeoutMs },
      work: {
        handler: handler('work'),
        env: { ...env, LEASEHOLD_FAULT_DIRECTORY: faultDirectory },
        timeoutMs: workTimeoutMs,
        preload,
      },
      verify: { handler: handler('verify'), env, timeoutMs: otherTimeoutMs },
    },
    onMessage({ pid }, message) {
      if (!isWorkerMessage(message)) return;
      progress.apply(pid, message.workerEvent);
      onEvent(message.workerEvent);
    },
  });
}

function readExtension(url: string): string {
  return url.slice(url.lastIndexOf('.'));
}

/**
 * Invokes functions, and tells the progress which seats are at work.
 *
 * @param afterPlan what must be done when the plan is made and before the first worker starts
 */
export function seatedInvoke(
  invoke: LocalLambda['invoke'],
  progress: RunProgress,
  afterPlan: () => Promise<void>,
): LocalLambda['invoke'] {
  return async (name, event, signal) => {
    const seat = name === 'work' ? (event as { readonly seat: number }).seat : undefined;
    if (seat !== undefined) progress.seatIs(seat, 'starting');
    if (name === 'verify') progress.phase = 'verifying';
    const answer = await invoke(name, event, signal);
    if (seat !== undefined) progress.seatIs(seat, 'done');
    if (name === 'plan') await afterPlan();
    return answer;
  };
}
