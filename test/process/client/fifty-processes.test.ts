import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { createLeaseTable } from '../../../lib/local/index.js';
import { bundled } from '../../support/bundle.js';
import { bySize } from '../../support/size.js';
import { useStage } from '../../support/use-stage.js';

const processes = bySize({ short: 12, long: 50 });
const turns = 3;

interface Report {
  readonly tokens: number[];
  readonly errors: string[];
}

describe('processes that want one lock, in the long form 50', () => {
  const stage = useStage();

  it('I1 I2 I3 never two inside, no increment lost, tokens strictly rise, no error and no process left', {
    timeout: 180_000,
  }, async () => {
    await createLeaseTable(stage.it.raw, 'witness');
    await using script = await bundled(
      join(import.meta.dirname, '..', '..', 'support', 'client', 'competitor.ts'),
    );
    const children = Array.from({ length: processes }, () => start(script.path, stage.it.dynamo.endpoint));
    const exits = children.map((child) => once(child, 'exit'));
    try {
      await Promise.all(children.map((child) => once(child, 'message')));
      const reports = children.map(async (child) => (await once(child, 'message'))[0] as Report);
      for (const child of children) child.send('go');
      const told = await Promise.all(reports);
      const ends = await Promise.all(exits);

      expect(told.flatMap(({ errors }) => errors)).toEqual([]);
      expect(ends.filter(([code, signal]) => code !== 0 || signal !== null)).toEqual([]);
      const tokens = told.flatMap((report) => report.tokens).sort((a, b) => a - b);
      const witness = await toItem('witness', 'counter');
      expect(tokens).toHaveLength(processes * turns);
      expect(witness.count).toBe(tokens.length);
      // In the order in which they entered; the lock's own counter agrees with them.
      expect(witness.journal).toEqual(tokens);
      expect(new Set(tokens).size).toBe(tokens.length);
      expect(witness).not.toHaveProperty('inside');
      const lock = await toItem('leases', 'contended');
      expect(lock).not.toHaveProperty('leaseId');
      expect(lock.version).toBeGreaterThanOrEqual(tokens.at(-1)!);
    } finally {
      for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
      await Promise.all(exits);
    }
  });

  function start(script: string, endpoint: string): ChildProcess {
    const args = ['--no-warnings', script, endpoint, String(turns)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    // The engine and the other tests go first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    return child;
  }

  async function toItem(TableName: string, name: string): Promise<Record<string, unknown>> {
    const Key = { name: { S: name } };
    const { Item } = await stage.it.raw.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
    return unmarshall(Item!);
  }
});
