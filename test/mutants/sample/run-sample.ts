import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Table from 'cli-table3';
import { Progress } from '../../simulation/run/progress.js';
import { Workspace } from '../judges/workspace.js';
import { drawChanges } from './draw.js';
import { equivalents } from './equivalent.js';
import { folderOf, folders } from './folders.js';
import { checkUnchanged, type Effort, judge, type Noticed, settle } from './judge.js';
import { type Score, scoreOf } from './score.js';
import { type SmallChange, toDiff, withChange } from './small-change.js';

/** What is drawn, and how hard each is looked for. */
export interface SampleOptions extends Effort {
  readonly sample: number;
  readonly seed: number;
  readonly folder?: string;
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
 * @returns whether every folder has at least the wanted score, in percent
 */
export async function runSample(
  repository: string,
  options: SampleOptions,
  wanted: number,
): Promise<boolean> {
  const files = execFileSync('git', ['ls-files', 'lib'], { cwd: repository, encoding: 'utf8' })
    .trim()
    .split('\n');
  const drawn = await drawChanges(repository, files, options);
  const kept = await Kept.open(repository, options);
  const progress = new Progress('mutants', drawn.length);
  const left = [...drawn];
  const judged: Judged[] = [];
  await checkFolders(repository, drawn, kept, options);
  const work = async () => {
    await using workspace = await Workspace.make(repository);
    await settle(workspace);
    for (let change = left.shift(); change; change = left.shift()) {
      const noticed = kept.has(change) ? kept.get(change) : await judge(workspace, change, options);
      await kept.put(change, noticed);
      judged.push({ change, noticed });
      progress.add(1);
    }
  };
  await Promise.all(Array.from({ length: options.threads }, work));
  progress.end();
  const survivors = await Promise.all(
    judged.filter(({ noticed }) => !noticed).map(({ change }) => toSurvivor(repository, change)),
  );
  const scores = [...scoresOf(judged, survivors), scoreAll(judged, survivors)];
  const unexplained = survivors.filter(({ reason }) => reason === undefined);
  if (options.json) console.log(JSON.stringify({ ...options, scores, survivors }));
  else {
    print(scores);
    for (const { diff } of unexplained) console.log(`\n${diff}`);
  }
  return scores.every(({ mutants, percent }) => mutants === 0 || percent >= wanted);
}

/** Each folder that is judged anew must be at peace without any change. */
async function checkFolders(
  repository: string,
  drawn: readonly SmallChange[],
  kept: Kept,
  options: SampleOptions,
): Promise<void> {
  const first = new Map(
    drawn.filter((change) => !kept.has(change)).map(({ file }) => [folderOf(file)!.folder, file]),
  );
  if (first.size === 0) return;
  await using workspace = await Workspace.make(repository);
  await settle(workspace);
  for (const [folder, file] of first) {
    if (kept.isAtPeace(folder)) continue;
    await checkUnchanged(workspace, file, options);
    await kept.keepPeace(folder);
  }
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
  static async open(repository: string, { schedules, slower }: Effort): Promise<Kept> {
    const state = execFileSync('git', ['ls-files', '-s', 'lib', 'test'], { cwd: repository });
    const dirty = execFileSync('git', ['diff', 'HEAD', '--', 'lib', 'test'], { cwd: repository });
    const hash = createHash('sha256')
      .update(state)
      .update(dirty)
      .update(`${schedules} ${slower}`)
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

  isAtPeace(folder: string): boolean {
    return this.#verdicts.has(folder);
  }

  async keepPeace(folder: string): Promise<void> {
    this.#verdicts.set(folder, null);
    await writeFile(this.#path, JSON.stringify([...this.#verdicts]));
  }

  get(change: SmallChange): Noticed {
    const by = this.#verdicts.get(toKey(change));
    return by ? { by } : undefined;
  }

  async put(change: SmallChange, noticed: Noticed): Promise<void> {
    this.#verdicts.set(toKey(change), noticed?.by ?? null);
    await writeFile(this.#path, JSON.stringify([...this.#verdicts]));
  }
}

function toKey({ file, start, end, replace }: SmallChange): string {
  return `${file}:${start}-${end}:${replace}`;
}
