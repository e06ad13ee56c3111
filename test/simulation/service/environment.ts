import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LockClient } from '../../../lib/client/index.js';
import { createLockServiceHandler } from '../../../lib/lambda/lock-service-handler.js';
import { createLockService } from '../../../lib/service/lock-service.js';
import type { ClientHabits } from '../lock/hold-options.js';
import { SimClient } from '../net/sim-client.js';
import { type Cluster, leaseTable, type Sender } from '../world/cluster.js';
import type { ClockHabits } from '../world/local-clocks.js';
import { SimProcess } from '../world/sim-process.js';

/** What an invocation came to: the answer, or that the function failed. */
export interface Invoked {
  readonly payload: string;
  readonly failed: boolean;
}

/** Lambda cuts an invocation off after so long. */
const limitMs = 8_000;

/**
 * An execution environment of the lock service: the production handler over a table client of its own. It takes one
 * invocation at a time, in whose caller's name it then sends.
 */
export class Environment {
  readonly process: SimProcess;
  readonly #cluster: Cluster;
  readonly #handler: ReturnType<typeof createLockServiceHandler>;
  #caller: Sender = { process: '', isLate: false };
  #end: ((invoked: Invoked) => void) | undefined;

  constructor(cluster: Cluster, id: string, habits: ClientHabits, clocks: ClockHabits) {
    this.#cluster = cluster;
    this.process = new SimProcess(cluster.loop, cluster.random, id, clocks);
    const transport = cluster.makeTransport(
      this.process,
      () => {},
      () => this.#caller,
    );
    const locks = new LockClient({
      ...habits,
      table: leaseTable,
      client: new SimClient(this.process, habits, transport) as unknown as Pick<DynamoDBClient, 'send'>,
      runtime: this.process.runtime,
      skewMs: cluster.history.premises.skewMs,
    });
    this.#handler = createLockServiceHandler({
      service: createLockService({ context: locks.context, operations: 'operate' }),
      runtime: this.process.runtime,
    });
    this.process.onCrash(() => this.#finish({ payload: '{"errorType":"Runtime.ExitError"}', failed: true }));
  }

  /** Whether it can take an invocation now. */
  get isFree(): boolean {
    return !this.#end && !this.process.isPaused && !this.process.isCrashed;
  }

  /** Runs one invocation. Whoever waits for it is told of its end, whatever becomes of the environment. */
  invoke(caller: Sender, request: string, onEnd: (invoked: Invoked) => void): void {
    this.#caller = caller;
    this.#end = onEnd;
    const { runtime } = this.process;
    const endsAtMs = runtime.monotonicMs() + limitMs;
    const cancel = this.#cluster.loop.after(limitMs, () => this.process.crash());
    this.#handler(JSON.parse(request), {
      getRemainingTimeInMillis: () => endsAtMs - runtime.monotonicMs(),
    }).then(
      (answer) => {
        cancel.run = undefined;
        this.#finish({ payload: JSON.stringify(answer), failed: false });
      },
      (error) => this.#cluster.fail(error),
    );
  }

  #finish(invoked: Invoked): void {
    const end = this.#end;
    this.#end = undefined;
    end?.(invoked);
  }
}
