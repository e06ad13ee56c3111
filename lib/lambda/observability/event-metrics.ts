import type { Listeners } from './library-events.js';
import { lossMetrics, type MetricName } from './metric-names.js';

/** Adds a value to a metric. */
export type AddMetric = (name: MetricName, value: number) => void;

/** What each event counts as. */
export function metricListeners(add: AddMetric): Listeners {
  return {
    granted({ waitedMs, takenOverFrom }) {
      add('Granted', 1);
      add('Waited', Math.round(waitedMs));
      if (takenOverFrom) add('Takeover', 1);
    },
    held: () => add('Held', 1),
    released: ({ heldMs }) => add('HoldTime', Math.round(heldMs)),
    completed: ({ heldMs }) => add('HoldTime', Math.round(heldMs)),
    // Whoever goes on with it has a lease of its own, and tells of that one.
    'handed-over': ({ heldMs }) => add('HoldTime', Math.round(heldMs)),
    lost({ reason }) {
      add('Lost', 1);
      add(lossMetrics[reason], 1);
    },
    'stale-write-refused': () => add('StaleWriteRefused', 1),
    'release-requested': () => add('ReleaseRequested', 1),
    'permit-granted': ({ waitedMs }) => add('PermitWaited', Math.round(waitedMs)),
    'line-joined': ({ length }) => add('LineLength', length),
    elected: () => add('LeaderElected', 1),
    'lead-ended': ({ why }) => {
      if (why === 'asked') add('LeaderSteppedDown', 1);
    },
    'renewal-failed': () => add('RenewalFailed', 1),
    'release-failed': () => add('ReleaseFailed', 1),
    throttled: () => add('StoreThrottled', 1),
    'scan-planned': ({ slices, existed }) => {
      if (!existed) add('SlicesPlanned', slices);
    },
    'scan-slice-acquired': ({ takenOver }) => {
      if (takenOver) add('SlicesTakenOver', 1);
    },
    'scan-slice-completed': () => add('SlicesDone', 1),
    'scan-slice-released': () => add('SlicesGivenBack', 1),
    'scan-slice-lost': () => add('SlicesLost', 1),
    'scan-slice-quarantined': () => add('SlicesQuarantined', 1),
  };
}
