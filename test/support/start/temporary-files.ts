import { closeSync, mkdirSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A directory of empty files. */
export interface TemporaryFiles extends AsyncDisposable {
  readonly directory: string;
  add(names: Iterable<string>): void;
}

/** Makes one. Synchronous calls: for a hundred thousand files they take a tenth of the time. */
export async function temporaryFiles(names: Iterable<string> = []): Promise<TemporaryFiles> {
  const directory = await mkdtemp(join(tmpdir(), 'leasehold-files-'));
  const made = new Set<string>();
  const add = (more: Iterable<string>): void => {
    for (const name of more) {
      const path = join(directory, name);
      const folder = dirname(path);
      if (!made.has(folder)) mkdirSync(folder, { recursive: true });
      made.add(folder);
      closeSync(openSync(path, 'w'));
    }
  };
  add(names);
  return {
    directory,
    add,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** `count` names in `folders` folders. */
export function* names(count: number, folders = 1): Generator<string> {
  for (let index = 0; index < count; index++) {
    yield `folder-${index % folders}/file-${String(index).padStart(6, '0')}.${index % 3 ? 'txt' : 'bin'}`;
  }
}
