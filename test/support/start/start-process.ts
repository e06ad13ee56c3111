import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { jsonResult } from '../../../bin/start/view/report.js';
import { compiled } from '../compiled.js';
import { descendants, isAlive, until } from '../local/child-processes.js';

const entry = compiled(join(import.meta.dirname, '..', '..', '..', 'bin', 'start.ts'));

/** How a run ended. */
export interface EndedStart {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What is left in its directory of temporary files. */
  readonly leftFiles: readonly string[];
  /** How many processes it had when it was signalled. */
  readonly processesThen: number;
  /** Those of them that live on. */
  readonly leftProcesses: readonly number[];
}

/** `npm start` in a process of its own, without npm. */
export interface StartProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedStart>;
  /** Resolves when it has said this, on either output. */
  said(pattern: RegExp): Promise<void>;
  /** Signals its whole process group, as a terminal does at Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): Promise<void>;
}

/** Starts it. */
export async function startProcess(args: readonly string[]): Promise<StartProcess> {
  const temporary = await mkdtemp(join(tmpdir(), 'leasehold-test-start-'));
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { PATH: process.env.PATH, TMPDIR: temporary },
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  let family: readonly number[] = [];
  const ended = once(child, 'close').then(async ([code, signal]) => {
    // As a shell tells it: a second signal may meet a process that listens no longer, since all is put away.
    const exitCode = signal ? 128 + constants.signals[signal as NodeJS.Signals] : code;
    const leftFiles = await readdir(temporary);
    const alive = await Promise.all(family.map(isAlive));
    const leftProcesses = family.filter((_, index) => alive[index]);
    await rm(temporary, { recursive: true, force: true });
    return { exitCode, ...said, leftFiles, processesThen: family.length, leftProcesses };
  });
  return {
    child,
    ended,
    said: (pattern) => until(async () => pattern.test(said.stdout + said.stderr) || child.exitCode !== null),
    async signalGroup(signal) {
      family = await descendants(child.pid);
      process.kill(-child.pid!, signal);
    },
  };
}

/** What `--json` says. */
export type StartJson = ReturnType<typeof jsonResult>;

/** Runs it with `--json` to its end. */
export async function startJson(args: readonly string[]): Promise<EndedStart & { readonly json: StartJson }> {
  const ended = await (await startProcess(['--json', ...args])).ended;
  try {
    return { ...ended, json: JSON.parse(ended.stdout) as StartJson };
  } catch (cause) {
    throw new Error(`no JSON on stdout, exit code ${ended.exitCode}: ${ended.stderr}`, { cause });
  }
}
