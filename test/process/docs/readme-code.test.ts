import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codeBlocksOf, compileErrors, projectOf } from '../../support/docs/code-blocks.js';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** What the README's code takes from its surroundings. */
const surroundings = `
import type { LockClient, Lease } from 'leasehold';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Stack } from 'aws-cdk-lib';
import type { LockService } from 'leasehold/cdk';
declare global {
  const stack: Stack;
  const service: LockService;
  const locks: LockClient;
  const ledger: DynamoDBDocumentClient;
  const s3: S3Client;
  const db: { query(sql: string, values: readonly unknown[]): Promise<{ rowCount: number | null }> };
  const url: string;
  const controller: AbortController;
  function settle(batch: string, lease: Lease): Promise<number>;
}
export {};
`;

describe('the code in the README and the guides', () => {
  it('compiles against the package', async () => {
    const pages = [
      'README.md',
      ...['quick-start', 'waiting', 'fencing', 'testing', 'lambda', 'lock-kit'].map(
        (name) => `docs/guides/${name}.md`,
      ),
    ];
    const blocks = (await Promise.all(pages.map((page) => codeBlocksOf(root, page)))).flat();
    expect(blocks.length).toBeGreaterThan(5);
    const project = await projectOf(root, `${root}/.leasehold/readme-code`, blocks, surroundings);
    expect(await compileErrors(project)).toBe('');
    // A compiler over all of CDK's types, beside other tests.
  }, 180_000);
});
