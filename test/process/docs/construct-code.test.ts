import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocksOf, compileErrors, projectOf } from '../../support/docs/code-blocks.js';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
const pages = [
  'docs/reference/lease-table.md',
  'docs/reference/lock-service.md',
  'docs/guides/step-functions.md',
  'docs/guides/scans.md',
  'docs/guides/observability.md',
];

/** What the code of the pages takes from its surroundings. */
const surroundings = `
import type { Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type * as leasehold from 'leasehold/cdk';
declare global {
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
  const locks: leasehold.LockService;
  const scan: leasehold.SliceScan;
  const onCall: ITopic;
  function settle(token: number): Promise<void>;
  type SurroundingStack = Stack;
}
export {};
`;

describe('the code on the constructs’ pages', () => {
  it('compiles against the package, inside a stack', async () => {
    const blocks = (await Promise.all(pages.map((page) => codeBlocksOf(root, page)))).flat();
    expect(blocks.length).toBeGreaterThan(pages.length);
    const inside = blocks.map(insideStack);
    const project = await projectOf(root, `${root}/.leasehold/construct-code`, inside, surroundings);
    expect(await compileErrors(project)).toBe('');
    // A compiler over all of CDK's types, beside other tests.
  }, 180_000);
});

/** The code as a method of a stack would have it, whose scope is `this`. Imports, and modules of functions, stay outside. */
function insideStack({ code, ...block }: CodeBlock): CodeBlock {
  if (code.includes('\nexport ')) return { ...block, code };
  const lines = code.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const rest = lines.filter((line) => !line.startsWith('import '));
  const method = ['export function page(this: SurroundingStack): void {', ...rest, '}'];
  return { ...block, code: [...imports, ...method].join('\n') };
}
