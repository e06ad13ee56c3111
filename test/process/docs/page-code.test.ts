import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocksOf, compileErrors, projectOf } from '../../support/docs/code-blocks.js';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const guides = ['quick-start', 'waiting', 'fencing', 'testing', 'lambda', 'lock-kit'];
const pages = ['README.md', ...guides.map((name) => `docs/guides/${name}.md`)];
const constructPages = [
  'docs/reference/lease-table.md',
  'docs/reference/lock-service.md',
  'docs/guides/step-functions.md',
  'docs/guides/scans.md',
  'docs/guides/observability.md',
];

/** What the code of the pages takes from its surroundings. */
const surroundings = `
import type { LockClient, Lease } from 'leasehold';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type * as leasehold from 'leasehold/cdk';
declare global {
  const stack: Stack;
  const service: leasehold.LockService;
  const locks: LockClient;
  const ledger: DynamoDBDocumentClient;
  const s3: S3Client;
  const db: { query(sql: string, values: readonly unknown[]): Promise<{ rowCount: number | null }> };
  const url: string;
  const controller: AbortController;
  function settle(batch: string, lease: Lease): Promise<number>;
  function settle(token: number): Promise<void>;
  const LeaseTable: typeof leasehold.LeaseTable;
  const settler: IGrantable;
  const dashboard: IGrantable;
  const operators: IGrantable;
  const desk: IGrantable;
  const ledgerWriter: IFunction;
  const machine: StateMachine;
  const readBatch: Pass;
  const writeLedger: Pass;
  const notify: Pass;
  const leases: leasehold.LeaseTable;
  const scan: leasehold.SliceScan;
  const onCall: ITopic;
  type SurroundingStack = Stack;
  type SurroundingService = leasehold.LockService;
}
export {};
`;

let blocks: readonly CodeBlock[];
let constructBlocks: readonly CodeBlock[];
/** What the compiler says of all of them, a line each: one compiler, since it reads all of CDK's types. */
let errors: readonly string[];

beforeAll(async () => {
  const blocksOf = async (of: readonly string[]) =>
    (await Promise.all(of.map((page) => codeBlocksOf(root, page)))).flat();
  [blocks, constructBlocks] = await Promise.all([blocksOf(pages), blocksOf(constructPages)]);
  const all = [...blocks, ...constructBlocks.map(insideStack)];
  const project = await projectOf(root, `${root}/.leasehold/page-code`, all, surroundings);
  errors = (await compileErrors(project)).split('\n').filter((line) => line !== '');
}, 240_000);

const ofConstructs = (line: string) =>
  constructPages.some((page) => line.includes(page.replaceAll('/', '-')));

describe('the code on pages compiles against the package', () => {
  it('in the README and the guides', () => {
    expect(blocks.length).toBeGreaterThan(5);
    expect(errors.filter((line) => !ofConstructs(line)).join('\n')).toBe('');
  });

  it('on the constructs’ pages, inside a stack', () => {
    expect(constructBlocks.length).toBeGreaterThan(constructPages.length);
    expect(errors.filter(ofConstructs).join('\n')).toBe('');
  });
});

/** The code as a method of a stack would have it, whose scope is `this`. Imports, and modules of functions, stay outside. */
function insideStack({ code, ...block }: CodeBlock): CodeBlock {
  if (code.includes('\nexport ')) return { ...block, code };
  const lines = code.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const rest = lines.filter((line) => !line.startsWith('import '));
  const parameters = 'this: SurroundingStack, locks: SurroundingService';
  // In a block of its own: what a page declares may have the name of a parameter.
  const method = [`export function page(${parameters}): void {{`, ...rest, '}}'];
  return { ...block, code: [...imports, ...method].join('\n') };
}
