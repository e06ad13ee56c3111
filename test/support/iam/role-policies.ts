import type { CloudFormationTemplate, TemplateArns } from './template-arns.js';

/** A policy of a role, without intrinsic functions. */
export interface RolePolicy {
  readonly name: string;
  readonly policy: unknown;
}

/** AWS's own policies that roles here have. @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html */
const managedPolicies: Readonly<Record<string, unknown>> = {
  AWSLambdaBasicExecutionRole: {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: '*',
      },
    ],
  },
};

/**
 * All policies of a role: its own, those attached to it, and AWS's.
 *
 * @throws Error if one of AWS's policies is not written down here
 */
export function policiesOf(
  template: CloudFormationTemplate,
  arns: TemplateArns,
  roleId: string,
): readonly RolePolicy[] {
  const resources = Object.entries(template.Resources ?? {});
  const role = template.Resources?.[roleId]?.Properties ?? {};
  const inline = (role.Policies ?? []).map((one: { PolicyName: unknown; PolicyDocument: unknown }) => ({
    name: String(arns.resolve(one.PolicyName)),
    policy: arns.resolve(one.PolicyDocument),
  }));
  const attached = resources
    .filter(([, { Type }]) => Type === 'AWS::IAM::Policy' || Type === 'AWS::IAM::ManagedPolicy')
    .filter(([, { Properties }]) =>
      (Properties.Roles ?? []).some((one: { readonly Ref?: string }) => one.Ref === roleId),
    )
    .map(([name, { Properties }]) => ({ name, policy: arns.resolve(Properties.PolicyDocument) }));
  const managed = (arns.resolve(role.ManagedPolicyArns ?? []) as string[]).map((arn) => {
    const name = arn.split('/').at(-1)!;
    if (!managedPolicies[name]) throw new Error(`what ${arn} allows is not written down here`);
    return { name, policy: managedPolicies[name] };
  });
  return [...inline, ...attached, ...managed];
}
