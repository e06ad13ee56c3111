import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../../support/child.js';
import { useStage } from '../../support/use-stage.js';

const fixture = join(import.meta.dirname, '..', '..', 'support', 'client', 'hold-once.ts');

describe('a process that used a lock', () => {
  const stage = useStage();

  it.each([
    ['C05 released its lease', 'release'],
    ['C05 released its lease and closed everything', 'close'],
    ['C33 still holds a lease, and nothing else', 'keep'],
  ])('%s: it exits by itself', async (_, how) => {
    await stage.it.remove('process');
    const { code, signal, stdout, stderr } = await runNode(fixture, [stage.it.dynamo.endpoint, how]).ended;
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
    const item = await stage.it.item('process');
    expect(item?.version).toBe(Number(stdout));
    expect(item?.leaseId === undefined).toBe(how !== 'keep');
  });
});
