import { Stack, Token } from 'aws-cdk-lib';
import { type CfnGlobalTable, MultiRegionConsistency } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { checkKnown } from '../functions/known.js';
import type { LeaseTableReplicas } from './lease-table-props.js';

const whyStrong =
  "an eventually consistent global table checks the condition of a write against the Region's own copy, so two " +
  'Regions would grant the same lock at once, with the same token';

/**
 * Checks replicas as far as CDK does not: which Regions can be combined is CDK's to know.
 *
 * @throws Error that says what came and what is allowed
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
 */
export function checkReplicas(scope: Construct, replicas: LeaseTableReplicas): void {
  checkKnown(replicas, ['regions', 'witness', 'consistency'], 'replicas.');
  const { regions, witness, consistency = MultiRegionConsistency.STRONG } = replicas;
  if (consistency !== MultiRegionConsistency.STRONG) {
    throw new Error(`replicas.consistency: must be STRONG, got ${consistency}: ${whyStrong}`);
  }
  if (regions.some((region) => Token.isUnresolved(region))) {
    throw new Error(
      'replicas.regions: must be known when the app is synthesized, got a reference among them',
    );
  }
  const own = Stack.of(scope).region;
  if (Token.isUnresolved(own)) {
    throw new Error("replicas: the stack's own Region must be known; give the stack an env with a region");
  }
  const wanted = witness === undefined ? 2 : 1;
  if (regions.length === wanted) return;
  const came = `[${regions.join(', ')}]${witness === undefined ? '' : ` and the witness ${witness}`}`;
  throw new Error(
    `replicas.regions: beside the stack's own ${own} there must be exactly two Regions, or one and a witness, got ${came}`,
  );
}

/** What is wrong with a table as it is synthesized, whatever was done to it on the way: for a construct's validation. */
export function replicaProblems(table: CfnGlobalTable): string[] {
  const replicas = Stack.of(table).resolve(table.replicas) as readonly unknown[] | undefined;
  if ((replicas?.length ?? 0) <= 1 || table.multiRegionConsistency === MultiRegionConsistency.STRONG)
    return [];
  return [
    `The table of leases has replicas and is not strongly consistent: ${whyStrong}. Use the prop "replicas".`,
  ];
}
