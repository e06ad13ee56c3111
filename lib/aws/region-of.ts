import { refuse, UsageError } from '../errors/index.js';

/** What an ARN names: the service, the resource after the account, and both in words. */
interface ArnKind {
  readonly service: string;
  readonly resource: RegExp;
  readonly words: string;
}

export const tableArns: ArnKind = {
  service: 'dynamodb',
  resource: /^table\/[^/]+$/,
  words: 'a table: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME',
};

export const functionArns: ArnKind = {
  service: 'lambda',
  resource: /^function:[^:]+(:[^:]+)?$/,
  words: 'a function: arn:aws:lambda:REGION:ACCOUNT:function:NAME',
};

export const stateMachineArns: ArnKind = {
  service: 'states',
  resource: /^stateMachine:[^:]+(:[^:]+)?$/,
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
  const [, service, own, resource] = /^arn:[^:]+:([^:]*):([^:]+):\d{12}:(.+)$/.exec(nameOrArn) ?? [];
  if (service !== kind.service || !kind.resource.test(resource!))
    refuse(option, `a name, or the ARN of ${kind.words}`, nameOrArn);
  if (region !== undefined && region !== own) {
    throw new UsageError(
      `region: is "${region}", but ${option} lies in ${own}: "${nameOrArn}"; leave region out`,
    );
  }
  return own;
}
