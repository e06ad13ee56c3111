import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { nodeBundle } from './node-bundle.js';

/** Modules compiled to plain ESM in a directory of their own. */
export interface CompiledModules {
  /** Compiles a TypeScript or JavaScript file with what it imports; answers the compiled file's path. */
  readonly compile: (path: string) => Promise<string>;
  /** Removes the directory. */
  readonly remove: () => Promise<void>;
  /** The same at once, for a process that is about to end. */
  readonly removeNow: () => void;
}

/**
 * Child processes start in tens of milliseconds when they load one plain file, and in half a second when they
 * bring a TypeScript loader along; with a dozen workers on a small machine that is the difference.
 *
 * @throws esbuild's error for a file that does not compile
 */
export async function compiledModules(): Promise<CompiledModules> {
  const directory = await mkdtemp(join(tmpdir(), `leasehold-run-${process.pid}-`));
  const done = new Map<string, Promise<string>>();

  const compileOnce = async (path: string, ordinal: number) => {
    const outfile = join(directory, `${ordinal}-${basename(path, extname(path))}.mjs`);
    await build({ ...nodeBundle, entryPoints: [path], outfile, logLevel: 'silent' });
    return outfile;
  };

  return {
    compile(path) {
      const known = done.get(path);
      if (known) return known;
      const compiling = compileOnce(path, done.size);
      done.set(path, compiling);
      return compiling;
    },
    remove: () => rm(directory, { recursive: true, force: true }),
    removeNow: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** The path of a module beside the calling one, whether that one runs from source or compiled. */
export function siblingModule(callerUrl: string, name: string): string {
  const path = fileURLToPath(callerUrl);
  return join(path, '..', `${name}${extname(path)}`);
}
