import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../lib/local/engines/dynoxide.js';
import {
  endWithStdin,
  type GuardedProcess,
  startGuarded,
} from '../../../lib/local/engines/guarded-process.js';
import type { Engine } from './engine.js';

const startLimitMs = 20_000;
const portTries = 5;

/** The binary, if its package is installed. */
export function dynoxideBinary(): string | undefined {
  try {
    const packageFile = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json');
    const path = join(dirname(packageFile), 'dynoxide');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Dynoxide with its data in a file, so that it can be killed and started again. */
export class KeptDynoxide implements Engine {
  readonly name = 'dynoxide';
  readonly #command: readonly [binary: string, database: string];
  #running: GuardedProcess | undefined;
  #restarts: Promise<void> = Promise.resolve();
  #port = 0;
  #closed = false;

  private constructor(binary: string, database: string) {
    this.#command = [binary, database];
  }

  /** @param database the file; made if it is not there */
  static async start(binary: string, database: string): Promise<KeptDynoxide> {
    const engine = new KeptDynoxide(binary, database);
    await engine.#start();
    return engine;
  }

  get port(): number {
    return this.#port;
  }

  restart(downMs: number): Promise<void> {
    this.#restarts = this.#restarts.then(async () => {
      await this.#running?.stop();
      await sleep(downMs);
      await this.#start();
    });
    return this.#restarts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#running?.stop();
  }

  async #start(): Promise<void> {
    if (this.#closed) return;
    const [binary, database] = this.#command;
    for (let tried = 1; ; tried++) {
      const port = await freePort();
      const args = ['serve', '--host', '127.0.0.1', '--port', String(port), '--db-path', database];
      const process = startGuarded(...endWithStdin(binary, args));
      this.#running = process;
      try {
        await process.firstMatch(/listening on/i, AbortSignal.timeout(startLimitMs));
        this.#port = port;
        if (this.#closed) await process.stop();
        return;
      } catch (error) {
        const output = process.output();
        await process.stop();
        if (tried === portTries || !/already in use/.test(output)) throw error;
      }
    }
  }
}
