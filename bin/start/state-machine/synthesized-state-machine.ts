import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, type CfnElement, Stack } from 'aws-cdk-lib';
import { LeaseholdStack, type LeaseholdStackProps, type SliceScan } from '../../../lib/cdk/index.js';
import type { StateMachineDefinition } from './state-definition.js';

/**
 * The definition of the state machine that CDK deploys, taken out of the synthesized template; the functions go by
 * their local names `plan`, `work` and `verify`.
 *
 * @param props as for the stack, e.g. `seats` for the map's concurrency; without a bucket it is named `data`
 * @throws Error if the bundles were not built
 */
export async function synthesizedStateMachine(
  props: LeaseholdStackProps = {},
): Promise<StateMachineDefinition> {
  const outdir = await mkdtemp(join(tmpdir(), 'leasehold-synth-'));
  try {
    // Only the template is looked at: the functions need not be copied beside it.
    const context = { ...(await deployedContext()), 'aws:cdk:disable-asset-staging': true };
    const app = new App({ outdir, context, analyticsReporting: false });
    // The rest of the stack is not looked at; leaving it out saves its synthesis.
    const others = { lockService: false, dashboard: false, alarms: false };
    const stack = new LeaseholdStack(app, 'Leasehold', { bucketName: 'data', ...others, ...props });
    const scan = stack.scan!;
    const template = app.synth().getStackByName(stack.stackName).template;
    const logicalId = stack.getLogicalId(scan.stateMachine.node.defaultChild as CfnElement);
    const text = templateText(
      template.Resources[logicalId].Properties.DefinitionString,
      template,
      functionNames(scan),
    );
    return JSON.parse(text) as StateMachineDefinition;
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}

function functionNames(scan: SliceScan): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(scan.functions).map(([name, lambda]) => [
      Stack.of(lambda).getLogicalId(lambda.node.defaultChild as CfnElement),
      name,
    ]),
  );
}

/** The feature flags of `cdk.json`, which the CDK command line would hand over: the template must be the same one. */
async function deployedContext(): Promise<Record<string, unknown>> {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'cdk.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('cdk.json was not found above this module');
    directory = parent;
  }
  const settings = JSON.parse(await readFile(join(directory, 'cdk.json'), 'utf8')) as {
    readonly context: Record<string, unknown>;
  };
  return settings.context;
}

/** Values of the pseudo parameters in a template that is never deployed. */
const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': '000000000000',
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  'AWS::URLSuffix': 'amazonaws.com',
};

type Template = { readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>> };

/**
 * The text that a template's expression stands for: joins are joined, references become what `names` says, else a
 * parameter's default, else the logical id itself.
 *
 * @param names local names by logical id
 * @throws Error for an intrinsic function that it does not know
 */
export function templateText(value: unknown, template: Template, names: ReadonlyMap<string, string>): string {
  if (typeof value === 'string') return value;
  const [[name, argument] = [], ...more] = Object.entries((value ?? {}) as Record<string, unknown>);
  if (name === undefined || more.length > 0)
    throw new Error(`Not a template expression: ${JSON.stringify(value)}`);
  switch (name) {
    case 'Ref': {
      const id = argument as string;
      return pseudoParameters[id] ?? names.get(id) ?? String(template.Parameters?.[id]?.Default ?? id);
    }
    case 'Fn::GetAtt': {
      const [id] = argument as [string, string];
      return names.get(id) ?? id;
    }
    case 'Fn::Join': {
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map((part) => templateText(part, template, names)).join(separator);
    }
    default:
      throw new Error(`Template function ${name} is not resolved locally`);
  }
}
