import { Aspects, Stack, Validations } from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/**
 * Says why a rule of cdk-nag is not followed here, where its cause is. CDK carries the reason; without cdk-nag in the
 * app it does nothing, so the package does not need it.
 *
 * @param construct the one that the rule finds fault with, or one that holds it
 * @param rule e.g. `AwsSolutions-SF2`
 */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: rule, reason });
}

/**
 * Says why the policies below a construct have wildcards. cdk-nag wants each of them acknowledged by itself, so that
 * one that is added later is not covered unseen.
 *
 * @param wildcards which actions and resources, as cdk-nag writes them: `<Function.Arn>:*`, `arn:<AWS::Partition>:…`
 */
export function acknowledgeWildcards(construct: IConstruct, wildcards: RegExp, reason: string): void {
  // At the end of all: what a policy grants is known only then.
  Aspects.of(construct).add({
    visit(node) {
      if (!(node instanceof CfnPolicy)) return;
      for (const finding of findWildcards(node)) {
        const [, wildcard = ''] = /^\w+::(.*)$/s.exec(finding) ?? [];
        if (wildcards.test(wildcard)) acknowledgeFinding(node, `AwsSolutions-IAM5[${finding}]`, reason);
      }
    },
  });
}

/** Older CDKs refuse the form that these names have. A reason that nobody can read is no reason to fail a synthesis. */
function acknowledgeFinding(policy: CfnPolicy, finding: string, reason: string): void {
  try {
    acknowledge(policy, finding, reason);
  } catch (error) {
    if (!/Invalid validation rule ID/.test((error as Error).message)) throw error;
  }
}

interface Statement {
  readonly Effect: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: unknown;
}

function findWildcards(policy: CfnPolicy): readonly string[] {
  const { Statement = [] } = Stack.of(policy).resolve(policy.policyDocument) as { Statement?: Statement[] };
  const findings = Statement.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action, Resource }) => [
    ...[Action].flat().map((action) => `Action::${action}`),
    ...[Resource].flat().map((resource) => `Resource::${flatReference(resource)}`),
  ]);
  return [...new Set(findings.filter((finding) => finding.includes('*')))];
}

/**
 * A template's expression as one text, in the form in which cdk-nag names it: `<LogicalId.Arn>:*` for a join of an
 * attribute and text.
 */
function flatReference(expression: unknown): string {
  if (expression === undefined) return '';
  if (typeof expression === 'string') return expression.replaceAll('${', '<').replaceAll('}', '>');
  const { 'Fn::Join': join, 'Fn::GetAtt': attribute, Ref: reference } = expression as Record<string, unknown>;
  if (join) {
    const [delimiter, parts] = join as [string, unknown[]];
    return parts.map(flatReference).join(delimiter);
  }
  if (attribute) return `<${(attribute as unknown[]).map(flatReference).join('.')}>`;
  if (reference) return `<${flatReference(reference)}>`;
  return JSON.stringify(expression);
}
