import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { app, compiledApp, runApp, runCdk } from '../../support/cdk/run-cdk.js';
import { bySize, size } from '../../support/size.js';

vi.setConfig({ testTimeout: 240_000 });

/** CDK's own check of the template takes three times as long as all else. */
const settings = bySize({
  short: { app: compiledApp, validation: false },
  long: { app, validation: true },
});

let output: string;

beforeEach(async () => {
  output = await mkdtemp(join(tmpdir(), 'leasehold-cdk-'));
});
afterEach(() => rm(output, { recursive: true, force: true }));

it('`cdk synth` needs no network, no account and no context, and has nothing to say', async () => {
  const { stdout, stderr, code } = await runCdk(output, settings, 'synth', '--quiet');
  expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: '', code: undefined });
  expect(await readdir(output)).toContain('Leasehold.template.json');
  if (size === 'short') return;
  expect(JSON.parse(await readFile(join(output, 'validation-report.json'), 'utf8'))).toMatchObject({
    pluginReports: [],
  });
});

it('a setting that is wrong is told in a line', async () => {
  const context = { seats: 'none', bucketName: 'data' };
  const { stderr, code } = await bySize({
    // As `cdk` calls it.
    short: () => runApp({ CDK_OUTDIR: output, CDK_CONTEXT_JSON: JSON.stringify(context) }),
    long: () => {
      const args = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      return runCdk(output, { app: compiledApp, validation: false }, 'synth', '--quiet', ...args);
    },
  })();
  expect(code).toBe(1);
  expect(stderr).toContain('Error: seats: must be a whole number from 1 to 1000, got "none"\n');
  expect(stderr).not.toMatch(/^ +at /m);
});
