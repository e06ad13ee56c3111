import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { S3Client } from '@aws-sdk/client-s3';
import { LockClient } from '../../../lib/client/index.js';
import { type Processor, planScan, verifyScan, workSeat } from '../../../lib/scan/index.js';
import { SimClient, type Transport } from '../../simulation/net/sim-client.js';
import { answered, type StoreAnswer } from '../../simulation/store/answers.js';
import { GroupIndex } from '../../simulation/store/group-index.js';
import { carryOut } from '../../simulation/store/operations.js';
import { SimStore } from '../../simulation/store/sim-store.js';
import { EventLoop } from '../../simulation/world/event-loop.js';
import { Random } from '../../simulation/world/random.js';
import { SimProcess } from '../../simulation/world/sim-process.js';
import { FastS3 } from './fast-s3.js';
import type { SortedKeys } from './sorted-keys.js';

/** How long requests take, in milliseconds of virtual time, there and back. */
export const listMs = 60;
export const tableMs = 5;

/** The index shows an item at most this much later, in milliseconds. */
const maxIndexLagMs = 100;

const startMs = Date.UTC(2031, 4, 7, 11, 13, 17);
const tableName = 'leases';
const run = 'zoo';
const steadyClocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };

/** How one scan went. Times are virtual. */
export interface ScanFigures {
  readonly layout: string;
  readonly workers: number;
  readonly keys: number;
  readonly pageSize: number;
  /** (pages ÷ workers × the list's time + planning) ÷ time until the last slice is completed. */
  readonly efficiency: number;
  /** List requests, planning included, above ⌈keys ÷ page⌉, as a part of that. */
  readonly extra: number;
  readonly writesPerPage: number;
  readonly itemsReadPerPage: number;
  /** Rows of the index, which are a tenth of an item. */
  readonly indexRowsPerPage: number;
  readonly planMs: number;
  readonly planRequests: number;
  readonly planned: number;
  readonly slices: number;
  readonly steals: number;
  readonly emptySlices: number;
  readonly rounds: number;
  readonly tookMs: number;
  /** When the last seat ended. */
  readonly seatsMs: number;
}

const counting: Processor<null> = { empty: () => null, process: () => null, merge: () => null };

/**
 * Plays one scan with the product's own planner, seats and proof, under virtual time.
 *
 * @throws Error unless each key was handed out once
 */
export async function playScan(
  keys: SortedKeys,
  options: { readonly workers: number; readonly pageSize: number },
): Promise<ScanFigures> {
  const { workers, pageSize } = options;
  const loop = new EventLoop(startMs, Number.POSITIVE_INFINITY);
  const random = new Random(7);
  const bucket = new FastS3(keys, loop, listMs);
  const s3 = bucket as unknown as Pick<S3Client, 'send'>;
  const table = new CountedTable(loop, random);
  const seatsOf = (ids: readonly number[]) =>
    ids.map((seat) => ({
      seat,
      locks: table.client(new SimProcess(loop, random, `seat-${seat}`, steadyClocks)),
    }));
  const told = watch(loop);
  try {
    const planner = table.client(new SimProcess(loop, random, 'planner', steadyClocks));
    const plan = await settled(
      loop,
      planScan({ locks: planner, s3, run, bucket: 'zoo', seats: workers, pageSize }),
    );
    const planMs = loop.nowMs - startMs;
    for (let rounds = 1; ; rounds++) {
      const work = seatsOf(plan.seats.map(({ seat }) => seat)).map(({ seat, locks }) =>
        workSeat({ locks, s3, run, seat, processor: counting }),
      );
      await settled(loop, Promise.all(work));
      const seatsMs = loop.nowMs - startMs;
      const verdict = await settled(loop, verifyScan({ locks: planner, s3, run, processor: counting }));
      if (verdict.status === 'more') continue;
      const { report } = verdict;
      const wholeSum = (keys.count * (keys.count + 1)) / 2;
      if (verdict.status !== 'complete' || report.objects !== keys.count || report.bytes !== wholeSum) {
        throw new Error(
          `${keys.name}: ${verdict.status}, ${report.objects} objects, ${verdict.reason ?? ''}`,
        );
      }
      const pages = Math.ceil(keys.count / pageSize);
      const tookMs = told.lastCompletedMs - startMs;
      return {
        layout: keys.name,
        workers,
        keys: keys.count,
        pageSize,
        efficiency: ((pages / workers) * listMs + planMs) / tookMs,
        extra: bucket.lists / pages - 1,
        writesPerPage: table.writes / pages,
        itemsReadPerPage: table.itemsRead / pages,
        indexRowsPerPage: table.indexRows / pages,
        planMs,
        planRequests: plan.listRequests,
        planned: plan.slices,
        slices: report.slices,
        steals: report.slices - plan.slices,
        emptySlices: told.emptySlices,
        rounds,
        tookMs,
        seatsMs,
      };
    }
  } finally {
    told.stop();
  }
}

function watch(loop: EventLoop) {
  const told = { lastCompletedMs: 0, emptySlices: 0, stop: () => {} };
  const onCompleted = (event: unknown) => {
    told.lastCompletedMs = loop.nowMs;
    if ((event as { readonly pages: number }).pages === 0) told.emptySlices += 1;
  };
  subscribe('leasehold:scan-slice-completed', onCompleted);
  told.stop = () => void unsubscribe('leasehold:scan-slice-completed', onCompleted);
  return told;
}

/** Lets virtual time pass until the work has settled. */
async function settled<T>(loop: EventLoop, work: Promise<T>): Promise<T> {
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  watched.catch(() => {});
  await loop.run(Number.POSITIVE_INFINITY, () => isOver);
  if (!isOver) throw new Error('nothing is left to happen, and the work is not done');
  return watched;
}

/** The lease table of the simulator, steady and counted. */
class CountedTable {
  writes = 0;
  itemsRead = 0;
  indexRows = 0;
  readonly #loop: EventLoop;
  readonly #random: Random;
  readonly #index: GroupIndex;
  readonly #store: SimStore;

  constructor(loop: EventLoop, random: Random) {
    this.#loop = loop;
    this.#random = random;
    this.#index = new GroupIndex(loop, random, maxIndexLagMs);
    this.#store = new SimStore(this.#index, () => {});
  }

  client(process: SimProcess): LockClient {
    const transport: Transport = (operation, input, onReply) => {
      this.#loop.after(tableMs / 2, () => {
        const answer = this.#carryOut(operation, input);
        const reply = { date: new Date(this.#loop.nowMs).toUTCString(), answer };
        this.#loop.after(tableMs / 2, () => onReply(reply));
      });
    };
    const client = new SimClient(process, { maxAttempts: 3, requestTimeoutMs: 1_000 }, transport);
    return new LockClient({
      table: tableName,
      // biome-ignore lint/suspicious/noExplicitAny: it stands in for the SDK's client
      client: client as any,
      runtime: process.runtime,
      owner: process.id,
    });
  }

  /** Reads without the simulator's troubles: a batch is answered in full, a query in one page. */
  // biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
  #carryOut(operation: string, input: any): StoreAnswer {
    if (operation === 'BatchGetItemCommand') {
      const keys: { name: { S: string } }[] = input.RequestItems[tableName].Keys;
      this.itemsRead += keys.length;
      const found = keys.map((key) => this.#store.get(tableName, key)).filter((item) => item !== undefined);
      return answered({ Responses: { [tableName]: found }, UnprocessedKeys: {} });
    }
    if (operation === 'QueryCommand') {
      const names = this.#index.namesIn(input.ExpressionAttributeValues[':group'].S);
      this.indexRows += names.length;
      return answered({ Items: names.map((name) => ({ name: { S: name } })) });
    }
    if (operation === 'GetItemCommand') this.itemsRead += 1;
    else this.writes += 1;
    return carryOut({ store: this.#store, index: this.#index, random: this.#random }, operation, input);
  }
}
