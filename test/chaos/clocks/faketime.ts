import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'libfaketimeMT.so.1';

/** Where distributions put it; on Debian in a folder named after the architecture. */
function usualPlaces(): string[] {
  const multiarch = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').map((name) => join('/usr/lib', name))
    : [];
  return [...multiarch, '/usr/lib', '/usr/lib64', '/usr/local/lib'].flatMap((folder) => [
    join(folder, 'faketime', fileName),
    join(folder, fileName),
  ]);
}

/** The library that fakes the wall clock of a process, if this machine has it. */
export function findFaketime(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return usualPlaces().find((path) => existsSync(path));
}

/** The wall clock of one worker, which survives its processes. */
export class WallClock {
  readonly #library: string;
  readonly #file: string;
  #offsetMs = 0;
  #rate = 1;

  /** @param file belongs to this clock alone */
  constructor(library: string, file: string) {
    this.#library = library;
    this.#file = file;
    this.#write();
  }

  /** For the worker's processes. Only the wall clock is faked: the monotonic one is the machine's. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      // Read at every call: a step strikes at once, also between two statements.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      // Its shared memory would stay behind when the process is killed.
      FAKETIME_DISABLE_SHM: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** @param byMs ahead, or back where negative */
  step(byMs: number): void {
    this.#offsetMs += byMs;
    this.#write();
  }

  /** @param rate 1 is true; a change of it is a step, too, since the library counts from the process's start */
  run(rate: number): void {
    this.#rate = rate;
    this.#write();
  }

  /** At once and as a whole: two faults of one worker may meet, and its process reads all the time. */
  #write(): void {
    const draft = `${this.#file}.draft`;
    const seconds = this.#offsetMs / 1_000;
    const sign = seconds < 0 ? '-' : '+';
    const rate = this.#rate === 1 ? '' : ` x${this.#rate}`;
    writeFileSync(draft, `${sign}${Math.abs(seconds).toFixed(3)}${rate}\n`);
    renameSync(draft, this.#file);
  }
}
