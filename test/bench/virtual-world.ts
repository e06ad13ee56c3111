import { LockClient, type LockClientOptions } from '../../lib/client/index.js';
import { SimClient } from '../simulation/net/sim-client.js';
import { throttled } from '../simulation/store/answers.js';
import type { Item } from '../simulation/store/attribute-values.js';
import { GroupIndex } from '../simulation/store/group-index.js';
import { carryOut } from '../simulation/store/operations.js';
import { type ItemWrite, SimStore } from '../simulation/store/sim-store.js';
import { EventLoop } from '../simulation/world/event-loop.js';
import { Random } from '../simulation/world/random.js';
import { SimProcess } from '../simulation/world/sim-process.js';

const startMs = Date.UTC(2031, 4, 7, 11, 13, 17);
const wayMs = 2;

/** A table, and processes with clients of it, all in virtual time: 4 ms for each request, nothing goes wrong. */
export class VirtualWorld {
  readonly loop: EventLoop;
  readonly random: Random;
  /** Reads of items, pings aside. */
  reads = 0;
  writes = 0;
  /** When each write was sent. */
  readonly writtenAt: number[] = [];
  onWrite: (write: ItemWrite) => void = () => {};
  /** Whether a process's request is throttled. */
  throttles: (process: string, operation: string) => boolean = () => false;
  /** How much later a process's request arrives once more, in milliseconds. */
  copiesAfterMs: (process: string, operation: string) => number | undefined = () => undefined;
  readonly #backend;

  constructor(seed: number) {
    // Anywhere in a second: the `Date` of the answers has whole ones.
    this.random = new Random(seed);
    this.loop = new EventLoop(startMs + this.random.between(0, 1_000), Number.POSITIVE_INFINITY);
    const index = new GroupIndex(this.loop, this.random, 100);
    const store = new SimStore(index, (write) => this.onWrite(write));
    this.#backend = { store, index, random: this.random };
  }

  get nowMs(): number {
    return this.loop.nowMs;
  }

  /** The table as it is now, by key. */
  get items(): Map<string, Item> {
    return this.#backend.store.itemsOf('leases');
  }

  process(id: string): SimProcess {
    const steady = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
    return new SimProcess(this.loop, this.random, id, steady);
  }

  locks(process: SimProcess, options: Partial<LockClientOptions> = {}): LockClient {
    const client = this.client(process) as never;
    const own = { table: 'leases', client, runtime: process.runtime, owner: process.id };
    return new LockClient({ ...own, ...options } as LockClientOptions);
  }

  /** What stands in for the SDK's client. */
  client(process: SimProcess): SimClient {
    const settings = { maxAttempts: 3, requestTimeoutMs: 1_000 };
    return new SimClient(process, settings, (operation, input, onReply) => {
      if (operation === 'BatchGetItemCommand' || (operation === 'GetItemCommand' && input.ConsistentRead))
        this.reads += 1;
      if (operation === 'UpdateItemCommand') {
        this.writes += 1;
        this.writtenAt.push(this.nowMs);
      }
      const copyMs = this.copiesAfterMs(process.id, operation);
      if (copyMs !== undefined)
        this.loop.after(wayMs + copyMs, () => carryOut(this.#backend, operation, input));
      this.loop.after(wayMs, () => {
        const isThrottled = this.throttles(process.id, operation);
        const answer = isThrottled ? throttled : carryOut(this.#backend, operation, input);
        const date = new Date(Math.floor(this.nowMs / 1_000) * 1_000).toUTCString();
        this.loop.after(wayMs, () => process.deliver(() => onReply({ date, answer })));
      });
    });
  }

  /** Lets time pass until the work has settled. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const settled = () => {
      isOver = true;
    };
    work.then(settled, settled);
    await this.loop.run(Number.POSITIVE_INFINITY, () => isOver);
    return work;
  }
}
