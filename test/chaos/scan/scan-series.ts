import { setTimeout as sleep } from 'node:timers/promises';
import { takeoverBefore } from '../../../lib/lease/index.js';
import { findState, planScan, readRun, type ScanVerdict, verifyScan } from '../../../lib/scan/index.js';
import type { CalmClients } from '../engine/calm-clients.js';
import { dataBucket, outputBucket } from '../terms.js';
import type { Board } from './board.js';
import { listedKeys } from './listed-keys.js';

const pageSize = 25;
const lookEveryMs = 400;

/** Scan after scan: each is planned, posted, watched until no slice is left, and verified. */
export class ScanSeries {
  readonly verdicts: ScanVerdict[] = [];
  /** The scan that is on. */
  current: string | undefined;
  readonly #clients: CalmClients;
  readonly #board: Board;
  readonly #seats: number;

  constructor(clients: CalmClients, board: Board, seats: number) {
    this.#clients = clients;
    this.#board = board;
    this.#seats = seats;
  }

  /**
   * Goes on until the last scan that was begun before `lastCall` is over, or the signal fires.
   *
   * @param lastCall no scan is begun after it
   */
  async run(lastCall: AbortSignal, signal: AbortSignal): Promise<void> {
    for (let count = 1; !lastCall.aborted && !signal.aborted; count++) {
      this.current = `chaos-${count}`;
      const verdict = await this.#scan(this.current, signal);
      if (verdict) this.verdicts.push(verdict);
    }
    if (!signal.aborted) this.current = undefined;
  }

  async #scan(run: string, signal: AbortSignal): Promise<ScanVerdict | undefined> {
    const { locks, s3 } = this.#clients;
    const plan = { locks, s3, run, bucket: dataBucket, seats: this.#seats, pageSize };
    await untilAnswered(
      () => planScan({ ...plan, output: { bucket: outputBucket, prefix: 'results' } }),
      signal,
    );
    for (let round = 1; !signal.aborted; round++) {
      await this.#board.post({ run, round });
      await this.#finished(run, signal);
      await this.#board.post({});
      const processor = listedKeys(() => 0);
      const verdict = await untilAnswered(
        () => verifyScan({ locks, s3, run, processor, maxRounds: 1_000 }),
        signal,
      );
      if (verdict?.status !== 'more') return verdict;
    }
    return undefined;
  }

  /** Resolves when no slice is left to work on, or the signal fires. */
  async #finished(run: string, signal: AbortSignal): Promise<void> {
    const { locks } = this.#clients;
    while (!signal.aborted) {
      const state = await untilAnswered(() => readRun({ locks, run }), signal);
      const before = takeoverBefore(locks.context);
      const states = state?.slices.map((slice) => findState(slice, before));
      if (states?.every((slice) => slice === 'completed' || slice === 'quarantined')) return;
      await pause(lookEveryMs, signal);
    }
  }
}

/** Restarts of the engine strike the driver, too: it asks again. `undefined` when the signal fired. */
async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  while (!signal.aborted) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'StoreError') throw error;
      await pause(lookEveryMs, signal);
    }
  }
  return undefined;
}

async function pause(forMs: number, signal: AbortSignal): Promise<void> {
  await sleep(forMs, undefined, { signal }).catch(() => {});
}
