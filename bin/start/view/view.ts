import type { Moment } from '../progress/moment.js';
import type { RunProgress } from '../progress/run-progress.js';

/** Shows a run while it goes on. */
export interface View extends Disposable {
  /** Begins to show. */
  start(progress: RunProgress): void;
  /** Told each moment as it comes. */
  moment(moment: Moment): void;
}
