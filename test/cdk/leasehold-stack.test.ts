import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { stackTemplate } from './synthesize.js';

it('is what it was', () => {
  const text = JSON.stringify(stackTemplate().toJSON()).replaceAll(/\b[0-9a-f]{64}\b/g, '<asset>');
  expect(JSON.parse(text)).toMatchSnapshot();
});

it('without a bucket the template asks for one', () => {
  const template = stackTemplate();
  template.hasParameter('BucketName', { Type: 'String' });
  template.hasOutput('StateMachineArn', {});
  template.hasOutput('TableName', {});
});

it('with a bucket it does not', () => {
  expect(Object.keys(stackTemplate({ bucketName: 'data' }).findParameters('*'))).not.toContain('BucketName');
});

it('with a bucket of its own for output', () => {
  const template = stackTemplate({ bucketName: 'data', outputBucketName: 'results' });
  template.allResourcesProperties('AWS::Lambda::Function', {
    Environment: { Variables: { LEASEHOLD_OUTPUT_BUCKET: 'results', LEASEHOLD_OUTPUT_PREFIX: 'leasehold/' } },
  });
});

it('`cdk synth` needs no network, no account and no context, and has nothing to say', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const output = await mkdtemp(join(tmpdir(), 'leasehold-cdk-'));
  try {
    const command = [join(root, 'node_modules/aws-cdk/bin/cdk'), 'synth', '--quiet', '--output', output];
    // The bundles are built beforehand, as every other test needs them; all else is as `cdk.json` says.
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [...command, '--app', 'npx tsx bin/app.ts'],
      {
        cwd: root,
        timeout: 50_000,
        env: {
          PATH: process.env.PATH,
          HOME: output,
          HTTPS_PROXY: 'http://127.0.0.1:9',
          HTTP_PROXY: 'http://127.0.0.1:9',
        },
      },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    expect(await readdir(output)).toContain('Leasehold.template.json');
  } finally {
    await rm(output, { recursive: true, force: true });
  }
});
