import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bundleLambdas,
  clientShare,
  fits,
  functionShares,
  type LambdaBundle,
  shareLine,
} from '../../../bin/build/lambda-bundles.js';

import { startLocalLambda } from '../../../bin/start/state-machine/index.js';

let home: string;
let bundles: readonly LambdaBundle[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'leasehold-budgets-'));
  bundles = await bundleLambdas(home);
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('sizes of what is bundled', () => {
  it('every function keeps to its budget', () => {
    const shares = functionShares(bundles);
    expect(shares.length).toBeGreaterThanOrEqual(3);
    expect(shares.filter((share) => !fits(share)).map(shareLine)).toEqual([]);
  });

  it("the client's own share keeps to its budget", async () => {
    const share = await clientShare();
    expect(fits(share), shareLine(share)).toBe(true);
  });

  it('one byte more is too large, and so is what nobody has given a budget', () => {
    const share = { name: 'x', bytes: 1_000, budgetBytes: 1_000 };
    expect(fits(share)).toBe(true);
    expect(fits({ ...share, bytes: 1_001 })).toBe(false);
    expect(fits({ ...share, budgetBytes: undefined })).toBe(false);
    const travelling = { ...share, compressedBytes: 400, compressedBudgetBytes: 400 };
    expect(fits(travelling)).toBe(true);
    expect(fits({ ...travelling, compressedBytes: 401 })).toBe(false);
    expect(shareLine({ ...travelling, compressedBytes: 500 })).toBe(
      'x: 1.0 KB of 1.0 KB, 0.5 KB of 0.4 KB compressed: TOO LARGE',
    );
    expect(shareLine({ ...share, bytes: 2_500, laterBytes: 700 })).toBe(
      'x: 2.5 KB of 1.0 KB, and 0.7 KB loaded only when needed: TOO LARGE',
    );
  });

  it('bundled again, a directory has no chunk of an earlier build', async () => {
    const chunks = async () => (await readdir(join(home, 'chunks'))).sort();
    const before = await chunks();
    await writeFile(join(home, 'chunks', 'old-AAAAAAAA.mjs'), '');
    await bundleLambdas(home);
    expect(await chunks()).toEqual(before);
  });
});

describe('a start of the lock service, whose callers wait for it', () => {
  const service = () => bundles.find(({ name }) => name === 'lock-service')!;

  it('reads two files: the entry, and all that it needs', () => {
    expect(service().files).toBe(2);
  });

  it('formats nothing in the way of a language, which would load what Node knows of all of them', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      `for (const type of [Number, Date, BigInt, Array])
        type.prototype.toLocaleString = () => { throw new Error('asked for a language'); };
      globalThis.Intl = undefined;
      const { handler } = await import(${JSON.stringify(service().path)});
      console.log(typeof handler);`,
    ]);
    expect(stdout.trim()).toBe('function');
  });
});

describe("a bundle's credentials", () => {
  it('those of the environment are all it looks for: without them it says so', async () => {
    const plan = bundles.find(({ name }) => name === 'plan')!;
    expect(existsSync(plan.path)).toBe(true);
    await using lambda = await startLocalLambda({
      functions: {
        plan: {
          handler: plan.path,
          env: {
            AWS_ACCESS_KEY_ID: '',
            LEASEHOLD_TABLE: 'leases',
            LEASEHOLD_DYNAMODB_ENDPOINT: 'http://127.0.0.1:9',
          },
        },
      },
    });
    await expect(lambda.invoke('plan', { run: 'r', input: { bucket: 'data', seats: 1 } })).rejects.toThrow(
      'Table "leases" could not be asked: the credentials are missing, expired or not valid: The environment has no AWS_ACCESS_KEY_ID',
    );
  });
});
