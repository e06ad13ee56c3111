import type { Template } from 'aws-cdk-lib/assertions';

/**
 * A template for a snapshot: without the hashes of assets, and of versions whose name holds one, which differ with
 * every change of the code.
 */
export function hashless(template: Template): unknown {
  const text = JSON.stringify(template.toJSON()).replaceAll(/\b[0-9a-f]{64}\b/g, '<asset>');
  return JSON.parse(text);
}
