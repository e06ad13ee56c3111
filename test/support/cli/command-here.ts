import { main } from '../../../bin/cli/main.js';
import { type Ended, localAws } from './command-line.js';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end in this process, one at a time, with an environment of its own: what it answers does not
 * depend on the process, and most of a command's time is that of loading it. What does depend on it (signals, streams,
 * children) is for `startCommand`.
 */
export function commandHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const ended = last.then(() => runHere(args, env));
  last = ended.catch(() => {});
  return ended;
}

async function runHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const before = process.env;
  const said = { stdout: '', stderr: '' };
  const streams = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = ((text: unknown) => {
      said[name] += String(text);
      return true;
    }) as typeof write;
    return () => {
      process[name].write = write;
    };
  });
  process.env = {
    PATH: before.PATH,
    // As the command's own entry does.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...localAws,
    ...env,
  };
  try {
    return { exitCode: await main(args), ...said };
  } finally {
    process.env = before;
    for (const restore of streams) restore();
  }
}
