import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandLine } from '../bundles.js';

/** How a command ended, and what it said. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said on stderr so far. */
  stderr(): string;
}

/** Starts the command line, bundled as it is published, in a process of its own, with nothing of the user's AWS profile. */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const child = spawn(process.execPath, [commandLine, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...localAws, ...env },
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, ...said }));
  return { child, ended, stderr: () => said.stderr };
}

/** Runs a command to its end. */
export function runCommand(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
  return startCommand(args, env).ended;
}

/** An AWS profile that reaches nothing. */
export const localAws = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};
