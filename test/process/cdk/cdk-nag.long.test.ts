import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compiledApp, runCdk } from '../../support/cdk/run-cdk.js';

it('`-c nag=true` checks the rules of cdk-nag, and they have nothing to say either', async () => {
  const output = await mkdtemp(join(tmpdir(), 'leasehold-cdk-'));
  try {
    const settings = ['nag=true', 'bucketName=data', 'prefix=logs/', 'readObjects=true'];
    const how = { app: compiledApp, validation: false };
    const context = settings.flatMap((one) => ['-c', one]);
    const { stdout, stderr, code } = await runCdk(output, how, 'synth', '--quiet', ...context);
    // D32: what no file keeps is told, and nothing else.
    const stderrNote = expect.stringMatching(/^Note: [^\n]*: given on the command line only[^\n]*\n$/);
    expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: stderrNote, code: undefined });
  } finally {
    await rm(output, { recursive: true, force: true });
  }
});
