import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildBundle } from '../../simulation/run/bundle.js';
import type { MutantOrder, MutantReport } from '../../simulation/run/mutant-main.js';
import type { Suite } from '../../simulation/run/play.js';
import type { Workspace } from '../judges/workspace.js';

/**
 * A schedule that takes longer than this goes round in circles, in milliseconds of real time. Without any change none does:
 * there it is the machine that is busy.
 */
const [hangMs, busyMs] = [15_000, 300_000];

/** The simulator over sources with switches, and which schedule comes by which mutant. */
export class Schedules {
  readonly #bundle: string;
  /** By suite and mutant. */
  readonly #seeds = new Map<Suite, Map<string, number[]>>();

  private constructor(bundle: string) {
    this.#bundle = bundle;
  }

  /**
   * Plays all schedules once with every switch off.
   *
   * @param schedules how many of each suite
   * @throws Error when one breaks a rule without any change: it then proves nothing
   */
  static async play({ root }: Workspace, suites: readonly Suite[], schedules: number): Promise<Schedules> {
    const bundle = join(root, 'mutants.mjs');
    await buildBundle(root, 'mutant-main.ts', bundle);
    const all = new Schedules(bundle);
    const seeds = Array.from({ length: schedules }, (_, i) => 1 + i);
    for (const suite of suites) {
      const byMutant = new Map<string, number[]>();
      all.#seeds.set(suite, byMutant);
      const broken = await all.#run({ suite, seeds }, '', ({ seed, reached }) => {
        for (const id of reached) byMutant.set(id, [...(byMutant.get(id) ?? []), seed]);
      });
      if (broken) throw new Error(`${suite}: a rule is broken without any change: ${broken}`);
    }
    return all;
  }

  /**
   * Plays the schedules that come by a mutant, until one breaks a rule.
   *
   * @returns the rule, or `undefined` if none is broken
   */
  async judge(id: string, suites: readonly Suite[]): Promise<string | undefined> {
    for (const suite of suites) {
      const seeds = this.#seeds.get(suite)?.get(id);
      if (!seeds) continue;
      const broken = await this.#run({ suite, seeds }, id, () => {});
      if (broken) return broken;
    }
    return undefined;
  }

  #run(order: MutantOrder, on: string, tell: (report: MutantReport) => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      const resourceLimits = { maxYoungGenerationSizeMb: 64 };
      const env = { ...process.env, LEASEHOLD_MUTANT: on };
      const worker = new Worker(this.#bundle, { workerData: order, env, resourceLimits });
      const end = (broken: string | undefined) => {
        clearTimeout(hang);
        resolve(broken);
        void worker.terminate();
      };
      const hang = setTimeout(() => end('no end'), on === '' ? busyMs : hangMs);
      worker.on('message', (report: MutantReport) => {
        hang.refresh();
        tell(report);
        if (report.broken) end(report.broken);
      });
      worker.on('error', (error) => end(`no crash: ${error}`));
      worker.on('exit', () => end(undefined));
    });
  }
}
