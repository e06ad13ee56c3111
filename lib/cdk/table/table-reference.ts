import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ILeaseTable } from './lease-table-base.js';

/**
 * What a function is told of its table: the name where both surely lie in one account and Region, else the ARN. A name
 * means another table elsewhere, or none.
 *
 * @param scope the construct that holds the function
 */
export function tableReference(scope: Construct, { table }: ILeaseTable): string {
  const { account, region } = Stack.of(scope);
  const same = (a: string, b: string) => {
    const compared = Token.compareStrings(a, b);
    return compared === TokenComparison.SAME || compared === TokenComparison.BOTH_UNRESOLVED;
  };
  return same(account, table.env.account) && same(region, table.env.region)
    ? table.tableName
    : table.tableArn;
}
