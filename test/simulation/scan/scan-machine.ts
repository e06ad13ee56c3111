import type { ClientHabits } from '../lock/hold-options.js';
import { Machine } from '../lock/machine.js';
import { SimClient } from '../net/sim-client.js';
import type { Cluster } from '../world/cluster.js';
import type { ClockHabits } from '../world/local-clocks.js';
import type { SimS3 } from './sim-s3.js';

/** How the workers of a scan are set up. */
export interface ScanHabits extends ClientHabits {
  /** Each page writes a fenced row. */
  readonly hasLedger: boolean;
}

/** A process that also has an S3 client. */
export class ScanMachine extends Machine {
  // biome-ignore lint/suspicious/noExplicitAny: as the SDK's, which is typed by command
  readonly s3: any;

  readonly hasLedger: boolean;

  constructor(
    cluster: Cluster,
    id: string,
    { hasLedger, ...habits }: ScanHabits,
    clocks: ClockHabits,
    s3: SimS3,
  ) {
    super(cluster, id, id, habits, clocks);
    this.hasLedger = hasLedger;
    const transport = cluster.wayOf(this.process, (operation, input) => s3.carryOut(operation, input));
    this.s3 = new SimClient(this.process, { maxAttempts: 3, requestTimeoutMs: 1_000 }, transport);
  }
}
