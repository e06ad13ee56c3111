import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Table from 'cli-table3';
import { Progress } from '../../simulation/run/progress.js';
import { Workspace } from '../judges/workspace.js';
import { drawChanges } from './draw.js';
import { equivalents } from './equivalent.js';
import { folderOf, folders } from './folders.js';
import { type Effort, Judge, type Noticed } from './judge.js';
import { isBelow, type Score, scoreOf } from './score.js';
import { type SmallChange, toDiff, withChange } from './small-change.js';
import type { Mutant } from './switches.js';

/** What is drawn, and how hard each is looked for. */
export interface SampleOptions extends Effort {
  readonly sample: number;
  readonly seed: number;
  readonly folder?: string;
  /** So many of each folder, instead of all in all. */
  readonly each?: boolean;
  /** Those alone whose place, or line, has this text. */
  readonly only?: string;
  readonly threads: number;
  readonly json?: boolean;
}

interface Judged {
  readonly change: SmallChange;
  readonly noticed: Noticed;
}

/**
 * Draws mutants, judges each, prints the score by folder and every survivor as a diff. What was judged before, with the
 * same sources, is not judged again: a run that was cut off goes on.
 *
 * @param wanted the score of a folder, in percent
 * @returns whether none has certainly less: see {@link isBelow}
 */
export async function runSample(
  repository: string,
  options: SampleOptions,
  wanted: number,
): Promise<boolean> {
  const files = execFileSync('git', ['ls-files', 'lib'], { cwd: repository, encoding: 'utf8' })
    .trim()
    .split('\n');
  const drawn = await drawAll(repository, files, options);
  const mutants = await onlyThose(repository, drawn, options.only);
  const kept = await Kept.open(repository, options);
  const judged: Judged[] = mutants
    .filter(({ change }) => kept.has(change))
    .map(({ change }) => ({ change, noticed: kept.get(change) }));
  const left = mutants.filter(({ change }) => !kept.has(change));
  if (left.length > 0) {
    await using workspace = await Workspace.make(repository);
    const judge = await Judge.prepare(workspace, left, options);
    for (const test of judge.failing) console.error(`fails without any change, and judges nothing: ${test}`);
    const progress = new Progress('mutants', left.length);
    await judge.judgeAll(left, options.threads, (mutant, noticed) => {
      kept.put(mutant.change, noticed);
      judged.push({ change: mutant.change, noticed });
      progress.add(1);
    });
    progress.end();
  }
  const survivors = await Promise.all(
    judged.filter(({ noticed }) => !noticed).map(({ change }) => toSurvivor(repository, change)),
  );
  const scores = [...scoresOf(judged, survivors), scoreAll(judged, survivors)];
  const unexplained = survivors.filter(({ reason }) => reason === undefined);
  const noticed = judged.flatMap(({ change, noticed }) => (noticed ? [{ ...change, by: noticed.by }] : []));
  if (options.json) console.log(JSON.stringify({ ...options, scores, survivors, noticed }));
  else {
    print(scores);
    for (const { diff } of unexplained) console.log(`\n${diff}`);
  }
  return scores.every((score) => !isBelow(score, wanted));
}

/** Of all together, or of each folder. */
async function drawAll(
  repository: string,
  files: readonly string[],
  { sample, seed, folder, each = false }: SampleOptions,
): Promise<readonly SmallChange[]> {
  const all = each ? folders.map((own) => `${own.folder}/`) : [folder ?? ''];
  const drawn: SmallChange[] = [];
  for (const own of all.filter((path) => path.startsWith(folder ?? ''))) {
    drawn.push(...(await drawChanges(repository, files, { sample, seed, folder: own })));
  }
  return drawn;
}

/** Mutants with their names, of those changes whose place or line has the text. */
async function onlyThose(
  repository: string,
  drawn: readonly SmallChange[],
  text: string | undefined,
): Promise<Mutant[]> {
  const mutants = drawn.map((change, i) => ({ id: String(i + 1), change }));
  if (text === undefined) return mutants;
  const diffs = await Promise.all(mutants.map(({ change }) => toSurvivor(repository, change)));
  return mutants.filter((_, i) => diffs[i]!.diff.includes(text));
}

interface Survivor {
  readonly file: string;
  readonly diff: string;
  /** Why it is equivalent. */
  readonly reason: string | undefined;
}

async function toSurvivor(repository: string, change: SmallChange): Promise<Survivor> {
  const source = await readFile(join(repository, change.file), 'utf8');
  const changed = withChange(source, change);
  const from = changed.lastIndexOf('\n', change.start - 1) + 1;
  const line = changed.slice(from, changed.indexOf('\n', change.start)).trim();
  const equivalent = equivalents.find((row) => row.file === change.file && row.line === line);
  return { file: change.file, diff: toDiff(source, change), reason: equivalent?.reason };
}

function scoresOf(judged: readonly Judged[], survivors: readonly Survivor[]): Score[] {
  return folders.map((folder) =>
    score(
      folder.folder,
      judged.filter(({ change }) => folderOf(change.file) === folder),
      survivors.filter(({ file }) => folderOf(file) === folder),
    ),
  );
}

function scoreAll(judged: readonly Judged[], survivors: readonly Survivor[]): Score {
  return score('all', judged, survivors);
}

function score(folder: string, judged: readonly Judged[], survivors: readonly Survivor[]): Score {
  const equivalent = survivors.filter(({ reason }) => reason !== undefined).length;
  return scoreOf(folder, judged.length, judged.length - survivors.length, equivalent);
}

function print(scores: readonly Score[]): void {
  const table = new Table({
    head: ['folder', 'mutants', 'noticed', 'equivalent', 'score', '95 % interval'],
    style: { head: [], border: [], compact: true },
  });
  for (const { folder, mutants, noticed, equivalent, percent, from, to } of scores) {
    const interval = `${from.toFixed(0)} to ${to.toFixed(0)} %`;
    table.push([
      folder,
      mutants,
      noticed,
      equivalent,
      mutants ? `${percent.toFixed(1)} %` : '',
      mutants ? interval : '',
    ]);
  }
  console.log(table.toString());
}

/** Verdicts of runs before, by what was changed in which source. */
class Kept {
  readonly #path: string;
  readonly #verdicts: Map<string, string | null>;

  private constructor(path: string, verdicts: Map<string, string | null>) {
    this.#path = path;
    this.#verdicts = verdicts;
  }

  /** What counts is the whole tree of sources and tests: any change may make a mutant noticed, or not. */
  static async open(repository: string, { schedules, slower, maxMs }: Effort): Promise<Kept> {
    const state = execFileSync('git', ['ls-files', '-s', 'lib', 'test'], { cwd: repository });
    const dirty = execFileSync('git', ['diff', 'HEAD', '--', 'lib', 'test'], { cwd: repository });
    const hash = createHash('sha256')
      .update(state)
      .update(dirty)
      .update(`${schedules} ${slower} ${maxMs}`)
      .digest('hex');
    const folder = join(repository, '.leasehold', 'mutation');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `sample-${hash.slice(0, 16)}.json`);
    const text = await readFile(path, 'utf8').catch(() => '[]');
    return new Kept(path, new Map(JSON.parse(text)));
  }

  has(change: SmallChange): boolean {
    return this.#verdicts.has(toKey(change));
  }

  get(change: SmallChange): Noticed {
    const by = this.#verdicts.get(toKey(change));
    return by ? { by } : undefined;
  }

  put(change: SmallChange, noticed: Noticed): void {
    this.#verdicts.set(toKey(change), noticed?.by ?? null);
    writeFileSync(this.#path, JSON.stringify([...this.#verdicts]));
  }
}

function toKey({ file, start, end, replace }: SmallChange): string {
  return `${file}:${start}-${end}:${replace}`;
}
