import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { compiled } from '../../support/compiled.js';
import { fixture, isAlive, until } from '../../support/start/processes.js';

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s to the parent leaves no child behind, not even a frozen one',
  async (signal) => {
    const parent = fork(compiled(fixture('parent-with-frozen-child')), [fixture('acting-handler')], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ pids }] = (await once(parent, 'message')) as [{ pids: number[] }];
    expect(pids.filter(isAlive)).toHaveLength(2);
    parent.kill(signal);
    const [, endedBy] = await once(parent, 'exit');
    expect(endedBy).toBe(signal);
    await until(() => !pids.some(isAlive), 'the children are gone');
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`leasehold-run-${parent.pid}-`))).toEqual(
      [],
    );
  },
);
