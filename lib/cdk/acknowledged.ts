import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Says why a rule of cdk-nag is not followed here, where its cause is. CDK carries the reason; without cdk-nag in the
 * app it does nothing, so the package does not need it.
 *
 * @param construct the one that the rule finds fault with, or one that holds it
 * @param rule e.g. `AwsSolutions-SF2`, or with the finding, `AwsSolutions-IAM5[Resource::*]`
 */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: rule, reason });
}
