import { refuse } from '../errors/index.js';

/** ARNs of one service's resources; the group is the Region. */
interface ArnKind {
  readonly arn: RegExp;
  readonly words: string;
}

export const tableArns: ArnKind = {
  arn: /^arn:[^:]+:dynamodb:([^:]+):\d{12}:table\/[^/\s]+$/,
  words: 'a table: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME',
};

export const functionArns: ArnKind = {
  arn: /^arn:[^:]+:lambda:([^:]+):\d{12}:function:[^:\s]+(:[^:\s]+)?$/,
  words: 'a function: arn:aws:lambda:REGION:ACCOUNT:function:NAME',
};

export const stateMachineArns: ArnKind = {
  arn: /^arn:[^:]+:states:([^:]+):\d{12}:stateMachine:[^:\s]+(:[^:\s]+)?$/,
  words: 'a state machine: arn:aws:states:REGION:ACCOUNT:stateMachine:NAME',
};

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
  kind: ArnKind,
  region?: string,
): string | undefined {
  if (region !== undefined && !(typeof region === 'string' && /^[a-z\d-]+$/.test(region)))
    refuse('region', 'one such as eu-west-1', region);
  // A function also with its account before it, or its version after.
  if (/^(?!arn)([\w.-]|:(?!\/)|\$)+$/i.test(nameOrArn)) return region;
  const own = kind.arn.exec(nameOrArn)?.[1];
  if (own === undefined) refuse(option, `a name, or the ARN of ${kind.words}`, nameOrArn);
  if (region !== undefined && region !== own)
    refuse('region', `left out, or ${own}, where ${option} lies`, region);
  return own;
}
