import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalS3, type S3FaultHook, startS3 } from '../../lib/local/index.js';
import { BadCallError, type ChaosOptions } from './chaos-options.js';
import { type CalmClients, calmClients } from './engine/calm-clients.js';
import type { Engine } from './engine/engine.js';
import { makeTables } from './engine/make-tables.js';
import { startEngine } from './engine/start-engine.js';
import type { PutAway } from './put-away.js';
import { Board } from './scan/board.js';
import { sowKeys } from './scan/key-field.js';
import { dataBucket, outputBucket } from './terms.js';
import { Reaper } from './workers/reaper.js';

/** Everything that the workers work on. */
export interface Stage {
  readonly directory: string;
  readonly journals: string;
  /** The directory behind the bucket that is scanned. */
  readonly data: string;
  readonly boardFile: string;
  readonly board: Board;
  readonly engine: Engine;
  readonly s3: LocalS3;
  readonly clients: CalmClients;
  readonly reaper: Reaper;
}

/**
 * Sets the stage.
 *
 * @param putAway is given everything to put away, in the order of making
 * @param options.minutes how long faults will strike
 * @param options.keep a directory for the journals; otherwise they go with the rest
 */
export async function setStage(
  putAway: PutAway,
  { minutes, keep }: Pick<ChaosOptions, 'minutes' | 'keep'>,
): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'leasehold-chaos-'));
  const reaper = new Reaper(directory);
  putAway.later(() => reaper.close());
  const journals = keep ?? join(directory, 'journals');
  const data = join(directory, dataBucket);
  const output = join(directory, outputBucket);
  for (const path of [journals, data, output]) await mkdir(path, { recursive: true });
  // Journals of another run would be judged along with this one's.
  if ((await readdir(journals)).length > 0) throw new BadCallError(`--keep: ${journals} is not empty`);
  await sowKeys(data, minutes);
  const boardFile = join(directory, 'board.json');
  const board = new Board(boardFile);
  await board.post({});
  const engine = putAway.use(await startEngine(directory));
  const buckets = { [dataBucket]: data, [outputBucket]: output };
  const s3 = putAway.use(await startS3({ buckets, faults: emptyPageNowAndThen() }));
  const clients = putAway.use(await calmClients(engine, s3));
  await makeTables(clients.dynamo);
  return { directory, journals, data, boardFile, board, engine, s3, clients, reaper };
}

/** Listings per one that begins with an empty page. */
const listingsPerEmptyPage = 7;

/** As behind many deleted objects: whoever takes such a page for the end misses keys, which the walk has. */
function emptyPageNowAndThen(): S3FaultHook {
  let listings = 0;
  return ({ operation }) =>
    operation === 'list' && ++listings % listingsPerEmptyPage === 0 ? 'empty-page' : 'ok';
}
