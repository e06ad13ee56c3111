import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LeaseholdStack, type LeaseholdStackProps } from '../../../lib/cdk/index.js';

const root = new URL('../../../', import.meta.url);

const { context } = JSON.parse(readFileSync(new URL('cdk.json', root), 'utf8'));

/**
 * Where apps are synthesized: one folder for all of a test process, where the functions' bundles are read only once, and
 * nothing is left in the temporary directory.
 */
const outdir = fileURLToPath(
  new URL(`.leasehold/synthesized/${process.env.VITEST_POOL_ID ?? process.pid}`, root),
);

/** An app with the feature flags of `cdk.json`, which the command line would hand over. The functions are not copied. */
export function appAsDeployed(): App {
  return new App({
    context: { ...context, 'aws:cdk:disable-asset-staging': true },
    outdir,
    analyticsReporting: false,
  });
}

/** A stack to put constructs into. */
export function emptyStack(): Stack {
  return new Stack(appAsDeployed(), 'Test');
}

/** The template of the whole stack. */
export function stackTemplate(props: LeaseholdStackProps = {}): Template {
  return Template.fromStack(new LeaseholdStack(appAsDeployed(), 'Leasehold', props));
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
  readonly Effect: string;
}

/** The policy statements of the role whose policy's logical id starts so, by their sorted actions. */
export function statementsOf(template: Template, policyPrefix: string): Readonly<Record<string, Statement>> {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) =>
    id.startsWith(policyPrefix),
  );
  const statements = policies.flatMap(
    ([, policy]) => policy.Properties.PolicyDocument.Statement as Statement[],
  );
  return Object.fromEntries(
    statements.map((statement) => [[statement.Action].flat().sort().join(' '), statement]),
  );
}

/** The state machine's definition; references to functions become their logical ids. */
// biome-ignore lint/suspicious/noExplicitAny: tests read into it as they need
export function definitionOf(template: Template): Record<string, any> {
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const expression = machine?.Properties.DefinitionString['Fn::Join'] as [string, unknown[]];
  return JSON.parse(
    expression[1].map((part) => (typeof part === 'string' ? part : referenceOf(part))).join(''),
  );
}

function referenceOf(part: unknown): string {
  const [value] = Object.values(part as Record<string, unknown>);
  return [value].flat()[0] as string;
}
