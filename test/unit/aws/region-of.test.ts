import { describe, expect, it } from 'vitest';
import { functionArns, regionOf, stateMachineArns, tableArns } from '../../../lib/aws/region-of.js';
import { LockClient } from '../../../lib/client/index.js';

const table = 'arn:aws:dynamodb:eu-west-1:111122223333:table/leases';

describe('D25: the Region of what is given by ARN', () => {
  it.each([
    ['leases', tableArns, undefined],
    [table, tableArns, 'eu-west-1'],
    ['arn:aws-cn:dynamodb:cn-north-1:111122223333:table/leases', tableArns, 'cn-north-1'],
    ['leasehold:live', functionArns, undefined],
    ['111122223333:function:leasehold', functionArns, undefined],
    [
      'arn:aws-us-gov:lambda:us-gov-west-1:111122223333:function:leasehold:live',
      functionArns,
      'us-gov-west-1',
    ],
    ['arn:aws:states:eu-west-1:111122223333:stateMachine:Scan', stateMachineArns, 'eu-west-1'],
  ] as const)('of $0 ($1) is $2', (text, kind, region) => {
    expect(regionOf('x', text, kind)).toBe(region);
  });

  it('a name’s is the one that was given beside it, and an ARN’s may be said again', () => {
    expect(regionOf('table', 'leases', tableArns, 'us-east-1')).toBe('us-east-1');
    expect(regionOf('table', table, tableArns, 'eu-west-1')).toBe('eu-west-1');
  });

  it.each([
    [
      'of another Region',
      table,
      'us-east-1',
      /^region: must be left out, or eu-west-1, where table lies, got "us-east-1"/,
    ],
    [
      'of another service',
      'arn:aws:sqs:eu-west-1:111122223333:leases',
      undefined,
      /^table: must be a name, or an ARN such as arn:aws:dynamodb:REGION:ACCOUNT:table\/NAME/,
    ],
    ['without an account', 'arn:aws:dynamodb:eu-west-1::table/leases', undefined, /^table: must be/],
    ['of an index', `${table}/index/byGroup`, undefined, /^table: must be/],
    ['cut short', 'arn:aws:dynamodb', undefined, /^table: must be/],
  ])('an ARN %s is refused at once', (_, arn, region, message) => {
    expect(() => regionOf('table', arn, tableArns, region)).toThrow(message);
    expect(() => new LockClient({ table: arn, ...(region && { region }) })).toThrow(message);
  });

  it('a service’s ARN of another Region, or of something else, is refused when the client is made', () => {
    const service = 'arn:aws:lambda:eu-west-1:111122223333:function:leasehold';
    expect(() => new LockClient({ service, region: 'us-east-1' })).toThrow(
      /^region: must be left out, or eu-west-1, where service lies/,
    );
    expect(() => new LockClient({ service: table })).toThrow(
      /^service: must be a name, or an ARN such as arn:aws:lambda:/,
    );
  });
});
