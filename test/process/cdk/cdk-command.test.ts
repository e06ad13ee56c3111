import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { compiled } from '../../support/compiled.js';

vi.setConfig({ testTimeout: 240_000 });

const root = fileURLToPath(new URL('../../../', import.meta.url));
let output: string;

beforeEach(async () => {
  output = await mkdtemp(join(tmpdir(), 'leasehold-cdk-'));
});
afterEach(() => rm(output, { recursive: true, force: true }));

/** The app as `cdk.json` has it, and as plain JavaScript, which starts sooner. */
const app = 'npx tsx bin/app.ts';
const compiledApp = `node ${compiled(join(root, 'bin/app.ts'))}`;

/** `cdk` as somebody would call it, without account or network. Bundles are built beforehand, as for every other test. */
async function cdk(
  settings: { readonly app: string; readonly validation: boolean },
  ...args: readonly string[]
) {
  const command = [join(root, 'node_modules/aws-cdk/bin/cdk'), ...args, '--app', settings.app];
  const environment = {
    PATH: process.env.PATH,
    HOME: output,
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    ...(!settings.validation && { CDK_VALIDATION: 'false' }),
  };
  const options = { cwd: root, timeout: 200_000, env: environment };
  return promisify(execFile)(process.execPath, [...command, '--output', output], options).catch(
    (error) => error,
  );
}

it('`cdk synth` needs no network, no account and no context, and has nothing to say', async () => {
  const { stdout, stderr, code } = await cdk({ app, validation: true }, 'synth', '--quiet');
  expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: '', code: undefined });
  expect(await readdir(output)).toContain('Leasehold.template.json');
  expect(JSON.parse(await readFile(join(output, 'validation-report.json'), 'utf8'))).toMatchObject({
    pluginReports: [],
  });
});

it('`-c nag=true` checks the rules of cdk-nag, and they have nothing to say either', async () => {
  const settings = ['nag=true', 'bucketName=data', 'prefix=logs/', 'readObjects=true'];
  const how = { app: compiledApp, validation: false };
  const context = settings.flatMap((one) => ['-c', one]);
  const { stdout, stderr, code } = await cdk(how, 'synth', '--quiet', ...context);
  // D32: what no file keeps is told, and nothing else.
  const stderrNote = expect.stringMatching(/^Note: [^\n]*: given on the command line only[^\n]*\n$/);
  expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: stderrNote, code: undefined });
});

it('a setting that is wrong is told in a line', async () => {
  const { stderr, code } = await cdk(
    { app: compiledApp, validation: false },
    ...['synth', '--quiet', '-c', 'seats=none', '-c', 'bucketName=data'],
  );
  expect(code).toBe(1);
  expect(stderr).toContain('Error: seats: must be a whole number from 1 to 1000, got "none"\n');
  expect(stderr).not.toMatch(/^ +at /m);
});
