import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bySize } from '../../support/size.js';

const [keys, wanted] = bySize({ short: [40_000, 0.9], long: [100_000, 0.95] });
const root = join(import.meta.dirname, '..', '..', '..');

it('no slice stays whole because its names tell no cut: few seats are busy to the end, in virtual time', {
  timeout: 120_000,
}, async () => {
  const layout = ['--layout', 'after-point', '--workers', '8', '--keys', String(keys), '--page', '10'];
  const npm = ['run', '--silent', 'bench:scan', '--', ...layout, '--json'];
  const { stdout } = await promisify(execFile)('npm', npm, { cwd: root });
  // Without the halving of keys: 0.238 of few, 0.846 of many.
  expect(JSON.parse(stdout)).toMatchObject({ layout: 'after-point', keys });
  expect(JSON.parse(stdout).efficiency).toBeGreaterThan(wanted);
});
