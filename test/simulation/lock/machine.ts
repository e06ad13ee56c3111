import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LockClient, type LockClientOptions } from '../../../lib/client/index.js';
import type { CurrentLease } from '../../../lib/fence/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import type { CallRecord, OpenRecord, Terms } from '../history/history.js';
import { SimClient } from '../net/sim-client.js';
import { isRead } from '../store/operations.js';
import { type Cluster, leaseTable } from '../world/cluster.js';
import type { ClockHabits } from '../world/local-clocks.js';
import { SimProcess } from '../world/sim-process.js';
import type { ClientHabits } from './hold-options.js';

const noTimeoutMs = 10 * 60_000;

/** What the outcome of a call adds to its record. */
export type CallFacts = Partial<
  Pick<
    CallRecord,
    | 'leaseId'
    | 'otherLeaseId'
    | 'checkpoint'
    | 'waitMs'
    | 'permits'
    | 'value'
    | 'gapMs'
    | 'parts'
    | 'touches'
    | 'minHoldMs'
    | 'lockDelayMs'
    | 'isFair'
    | 'wants'
  >
> & {
  readonly outcome?: string;
};

/** Makes the processes of a schedule. */
export type MachineMaker = (id: string, owner: string, clocks: ClockHabits) => Machine;

/** Processes with clients of the table itself. */
export function makerOf(cluster: Cluster, habits: ClientHabits): MachineMaker {
  return (id, owner, clocks) => new Machine(cluster, id, owner, habits, clocks);
}

/** One process with a lock client of its own, as production code has it; its calls are recorded. */
export class Machine {
  readonly process: SimProcess;
  readonly client: SimClient;
  readonly locks: LockClient;
  readonly cluster: Cluster;
  #writes = 0;
  #reads = 0;
  /** All leases that its code has had in hand: what does not look writes on under any of them. */
  readonly former: CurrentLease[] = [];
  /** Calls that have not ended. */
  readonly #open = new Set<Omit<OpenRecord, 'atMs' | 'lastId'>>();
  /** Two scripts use it at once. */
  isShared = false;

  /** @param service another way to the locks than the table itself */
  constructor(
    cluster: Cluster,
    id: string,
    owner: string,
    habits: ClientHabits,
    clocks: ClockHabits,
    service?: (process: SimProcess) => Pick<LockClientOptions, 'service' | 'lambdaClient'>,
  ) {
    this.cluster = cluster;
    this.process = new SimProcess(cluster.loop, cluster.random, id, clocks);
    this.process.onCrash(() => {
      const { nowMs: atMs, history } = cluster;
      for (const open of this.#open) history.records.push({ ...open, atMs, lastId: this.process.idsMade });
      history.records.push({ kind: 'crash', atMs, process: id });
    });
    this.process.onPause((untilMs) =>
      cluster.history.records.push({ kind: 'pause', atMs: cluster.nowMs, process: id, untilMs }),
    );
    const transport = cluster.makeTransport(this.process, (operation) => {
      if (isRead(operation)) this.#reads++;
      else this.#writes++;
    });
    // A client of the user's may have no time-outs: the SDK's default.
    const requestTimeoutMs = cluster.random.chance(0.3) ? noTimeoutMs : habits.requestTimeoutMs;
    this.client = new SimClient(this.process, { ...habits, requestTimeoutMs }, transport);
    const table = { table: leaseTable, client: this.client as unknown as Pick<DynamoDBClient, 'send'> };
    this.locks = new LockClient({
      ...habits,
      ...(service?.(this.process) ?? table),
      runtime: this.process.runtime,
      owner,
      skewMs: cluster.history.premises.skewMs,
    });
  }

  /** Somebody has the lease in hand, that was asked for so. */
  hold(lease: Lease, terms?: Terms): void {
    this.cluster.hold(this.process, lease, this.locks.context.clock, terms);
    const { name, leaseId, token } = lease;
    const handed = { name, leaseId, token };
    this.former.push(handed);
    this.cluster.former.push(handed);
  }

  /** A signal of the caller's own, with a reason of the caller's own. */
  abortingAfter(delayMs: number): AbortSignal {
    const controller = new AbortController();
    const reason = Object.assign(new Error('the user has enough'), { name: 'UserAbort' });
    this.process.runtime.setTimer(() => controller.abort(reason), delayMs);
    return controller.signal;
  }

  /** Runs a call and records how it ended. Its error becomes the outcome and comes back as `undefined`. */
  async call<T>(
    what: string,
    name: string,
    work: () => Promise<T>,
    facts: (result: T) => CallFacts = () => ({}),
    known: CallFacts = {},
  ): Promise<T | undefined> {
    const { cluster } = this;
    const sinceMs = cluster.nowMs;
    const [writes, reads] = [this.#writes, this.#reads];
    const firstId = this.process.idsMade;
    const { leaseId: own, touches } = known;
    const open = {
      ...{ kind: 'open' as const, process: this.process.id, what, name, sinceMs, firstId, leaseId: own },
      ...(touches && { touches }),
    };
    this.#open.add(open);
    const record = (more: CallFacts) => {
      this.#open.delete(open);
      const { leaseId, outcome = 'ok', ...rest } = { ...known, ...more };
      cluster.history.tally.count(`call: ${what} ${outcome}`);
      cluster.history.records.push({
        kind: 'call',
        atMs: cluster.nowMs,
        sinceMs,
        process: this.process.id,
        what,
        name,
        leaseId,
        outcome,
        ...rest,
        isAlone: !this.isShared,
        firstId,
        lastId: this.process.idsMade,
        writes: this.#writes - writes,
        reads: this.#reads - reads,
      });
      cluster.trace &&
        cluster.note(this.process.id, `${what} ${name}: ${outcome}${leaseId ? ` (${leaseId})` : ''}`);
    };
    try {
      const result = await work();
      record(facts(result));
      return result;
    } catch (error) {
      const {
        name: outcome,
        holder,
        reason,
      } = error as Error & {
        holder?: { leaseId: string };
        reason?: string;
      };
      if (!expected.has(outcome) && !(outcome === 'UsageError' && known.leaseId)) throw error;
      record({ outcome: reason ? `${outcome}: ${reason}` : outcome, otherLeaseId: holder?.leaseId });
      return undefined;
    }
  }
}

/** Of a lease that was given back, or completed in between, there is a `UsageError`, too. */
const expected = new Set([
  'LockHeldError',
  'LockLostError',
  'AlreadyCompletedError',
  'StaleTokenError',
  'StoreError',
  'UserAbort',
  'WorkFailed',
  'TimeoutError',
  'AbortError',
  'ThrottlingException',
  'InternalServerError',
  // Of a transaction whose own check does not hold.
  'TransactionCanceledException',
]);
