import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LeaseholdStackProps } from '../../../lib/cdk/index.js';
import type { StateMachineDefinition } from '../state-machine/state-definition.js';

/** What a failure may say, in characters: the end of what the process wrote. */
const maxStderr = 2_000;

/** A definition that is being synthesized; disposing of it ends that. */
export interface PendingDefinition extends AsyncDisposable {
  /** Rejects with what the process wrote when it failed. */
  readonly definition: Promise<StateMachineDefinition>;
}

/**
 * The definition of the state machine that CDK deploys, synthesized in another process meanwhile.
 *
 * @param directory where that process keeps its temporary files: it may be killed before it has removed them
 * @param signal ends it; the definition then rejects with the signal's reason
 */
export function definitionOfStack(
  props: LeaseholdStackProps,
  directory: string,
  signal: AbortSignal,
): PendingDefinition {
  const entry = fileURLToPath(new URL(`./synth-main${extname(import.meta.url)}`, import.meta.url));
  const child = fork(entry, [JSON.stringify(props)], {
    // CDK's check of templates takes three times as long as all else here, and nothing is deployed from this.
    env: { ...process.env, CDK_VALIDATION: 'false', TMPDIR: directory, TEMP: directory, TMP: directory },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const kill = () => void child.kill('SIGKILL');
  process.on('exit', kill);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const definition = toAnswer(child, signal).finally(() => {
    signal.removeEventListener('abort', kill);
    process.off('exit', kill);
  });
  definition.catch(() => {});
  return {
    definition,
    async [Symbol.asyncDispose]() {
      kill();
      await definition.catch(() => {});
    },
  };
}

/** Settles when the process is gone, so that nothing of it is left behind. */
function toAnswer(child: ChildProcess, signal: AbortSignal): Promise<StateMachineDefinition> {
  let answer: StateMachineDefinition | undefined;
  let stderr = '';
  child.on('message', (message) => {
    answer = message as unknown as StateMachineDefinition;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderr);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      if (signal.aborted) reject(signal.reason);
      else if (answer) resolve(answer);
      else reject(new Error(`The stack was not synthesized: ${stderr.trim()}`));
    });
  });
}
