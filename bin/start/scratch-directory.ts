import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for what a run needs while it goes on. */
export interface ScratchDirectory extends AsyncDisposable {
  /** Served as the bucket of results. */
  readonly results: string;
  /** Orders of faults, and notes of the blows that fell. */
  readonly faults: string;
  /** Temporary files of the process that synthesizes the stack. */
  readonly synthesis: string;
}

/** Makes one under the system's directory of temporary files; it goes with the run, and with this process at the latest. */
export async function scratchDirectory(): Promise<ScratchDirectory> {
  const root = await mkdtemp(join(tmpdir(), 'leasehold-start-'));
  const removeNow = () => rmSync(root, { recursive: true, force: true });
  process.on('exit', removeNow);
  const places = {
    results: join(root, 'results'),
    faults: join(root, 'faults'),
    synthesis: join(root, 'synthesis'),
  };
  for (const place of Object.values(places)) await mkdir(place);
  return {
    ...places,
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true });
      process.off('exit', removeNow);
    },
  };
}
