import { Stack, Token } from 'aws-cdk-lib';
import type { Grant, IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/**
 * Whether this app can't write the policies of a principal, though CDK lets it pass: a role that was imported from
 * another account, or as one that is not to be changed. CDK drops what is granted to those, without a word.
 */
export function dropsStatements(grantee: IGrantable): boolean {
  const principal: IPrincipal = grantee.grantPrincipal;
  // CDK's wrapper around such a role; the class is not exported.
  if ('addGrantsToResources' in principal) return true;
  if (!Construct.isConstruct(principal)) return false;
  const { account } = Stack.of(principal);
  const { principalAccount } = principal;
  if (principalAccount === undefined || [account, principalAccount].some((one) => Token.isUnresolved(one)))
    return false;
  return account !== principalAccount;
}

/**
 * A grant that must have come about.
 *
 * @param what the grant's name, for the message
 * @throws Error that says who was to get it, and why there is no place to write it to
 */
export function demandedGrant(what: string, grantee: IGrantable, grant: Grant): Grant {
  if (grant.success && !(dropsStatements(grantee) && grant.resourceStatement === undefined)) return grant;
  throw new Error(
    `${what}: the policies of ${grantee.grantPrincipal} can't be written from this app, and nothing here has a policy of its own to write it to; grant it to a role of this app, or add the statement where that principal is defined`,
  );
}
