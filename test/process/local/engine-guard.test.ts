import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiled } from '../../support/compiled.js';
import { descendants, isAlive, listens, until } from '../../support/local/child-processes.js';
import { quickEngines } from '../../support/local/local-engines.js';

function runParent(script: string, engine: string) {
  const path = compiled(join(import.meta.dirname, '..', '..', 'support', 'local', script));
  const parent = spawn(process.execPath, [path, engine], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { parent, endpoint: once(parent.stdout, 'data').then(([line]) => String(line).trim()) };
}

describe.each(quickEngines)('the engine %s, when its parent goes', (engine) => {
  it('ends with a parent that is killed by SIGKILL', async () => {
    const { parent, endpoint } = runParent('hold-engine.ts', engine);
    const at = await endpoint;
    expect(await listens(at)).toBe(true);
    const family = await descendants(parent.pid);
    expect(family.length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    for (const pid of family) await until(async () => !(await isAlive(pid)));
    // A process counts as dead a moment before its last thread lets go of its sockets.
    await until(async () => !(await listens(at)));
  });

  it('keeps no parent alive that forgot to stop it', async () => {
    const { parent, endpoint } = runParent('start-and-leave.ts', engine);
    const at = await endpoint;
    if (parent.exitCode === null) await once(parent, 'exit');
    expect(parent.exitCode).toBe(0);
    await until(async () => !(await listens(at)));
  });
});
