import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';

/** What cdk-nag's AwsSolutions rules find fault with, as `rule: construct`; what is acknowledged is left out. */
export function nagFindings(stack: Stack): readonly string[] {
  // Some reasons are given when all is known.
  Template.fromStack(stack);
  const { violations } = new AwsSolutionsChecks(App.of(stack)).validateScope(stack);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(
      ({ constructPath, resourceLogicalId }) => `${ruleName}: ${constructPath ?? resourceLogicalId}`,
    ),
  );
}
