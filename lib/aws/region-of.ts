import { refuse } from '../errors/index.js';

/** What an ARN of some kind looks like after `arn:`, the partition and a colon. A version may follow its name. */
export const tableArns = 'dynamodb:REGION:ACCOUNT:table/NAME';
export const functionArns = 'lambda:REGION:ACCOUNT:function:NAME';
export const stateMachineArns = 'states:REGION:ACCOUNT:stateMachine:NAME';

const parts = { REGION: '([^:]+)', ACCOUNT: '\\d{12}', NAME: '[^:/\\s]+(:[^:/\\s]+)?' };

/**
 * The Region to send requests to for something that is given by name or by ARN. An ARN's own Region counts: a client of
 * another one would not find it, or find something else of the same name.
 *
 * @param option the option's name, for messages
 * @param nameOrArn what was given; an ARN begins with `arn:`, which no name does
 * @param region the Region that was given beside it
 * @returns undefined where neither says one: as the AWS SDK finds it
 * @throws UsageError for what is neither a name nor an ARN of this kind, for a Region that is none, or if the two differ
 */
export function regionOf(
  option: string,
  nameOrArn: string,
  kind: string,
  region?: string,
): string | undefined {
  if (region !== undefined && !(typeof region === 'string' && /^[a-z\d-]+$/.test(region)))
    refuse('region', 'one such as eu-west-1', region);
  // A function also with its account before it, or its version after.
  if (/^(?!arn)([\w.-]|:(?!\/)|\$)+$/i.test(nameOrArn)) return region;
  const pattern = kind.replace(/[A-Z]{4,}/g, (part) => parts[part as keyof typeof parts]);
  const own = new RegExp(`^arn:[^:]+:${pattern}$`).exec(nameOrArn)?.[1];
  if (own === undefined) refuse(option, `a name, or an ARN such as arn:aws:${kind}`, nameOrArn);
  if (region !== undefined && region !== own)
    refuse('region', `left out, or ${own}, where ${option} lies`, region);
  return own;
}
