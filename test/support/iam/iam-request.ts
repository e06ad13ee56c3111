import type { JsonRequest, RecordedRequest, S3Request } from './recorded-request.js';

/** What IAM is asked before a service does anything: one of possibly several for one request. */
export interface IamRequest {
  readonly action: string;
  /** The ARN. */
  readonly resource: string;
  /** Condition keys. */
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

/** The ARNs of what recorded requests name. */
export interface Places {
  readonly tableArn: (name: string) => string;
  readonly bucketArn: (name: string) => string;
  readonly functionArn: (name: string) => string;
  readonly executionArn: (arn: string) => string;
}

/**
 * What IAM is asked for a recorded request.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 * @throws Error if it is of a kind that nobody has written down yet
 */
export function iamRequestsOf(recorded: RecordedRequest, places: Places): readonly IamRequest[] {
  switch (recorded.service) {
    case 's3':
      return [ofS3(recorded, places)];
    case 'lambda': {
      const resource = places.functionArn(recorded.functionName);
      return [{ action: 'lambda:InvokeFunction', resource, context: {} }];
    }
    case 'dynamodb':
      return ofDynamo(recorded, places);
    case 'states':
      if (recorded.operation === 'DescribeExecution') {
        const resource = places.executionArn(recorded.input.executionArn);
        return [{ action: 'states:DescribeExecution', resource, context: {} }];
      }
      throw unknown(recorded);
  }
}

/** The names of the partition keys, by recorded table; leases have `name`, a ledger has its own. */
const partitionKeys = ['name', 'slice', 'pk', 'id'];

function ofDynamo({ operation, input, ...rest }: JsonRequest, places: Places): IamRequest[] {
  const item = (action: string, one: Record<string, unknown>): IamRequest => ({
    action: `dynamodb:${action}`,
    resource: places.tableArn(one.TableName as string),
    context: {
      'dynamodb:LeadingKeys': [partitionKeyOf((one.Key ?? one.Item) as Record<string, AttributeValue>)],
    },
  });
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [item(operation, input)];
    case 'BatchGetItem':
      return Object.entries(input.RequestItems).map(([table, asked]) => ({
        action: 'dynamodb:BatchGetItem',
        resource: places.tableArn(table),
        context: {
          'dynamodb:LeadingKeys': (asked as { Keys: Record<string, AttributeValue>[] }).Keys.map(
            partitionKeyOf,
          ),
        },
      }));
    case 'TransactWriteItems':
    case 'TransactGetItems':
      return (input.TransactItems as Record<string, Record<string, unknown>>[]).flatMap((entry) =>
        Object.entries(entry).map(([kind, one]) =>
          item(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, one),
        ),
      );
    case 'Query': {
      const table = places.tableArn(input.TableName);
      const resource = input.IndexName === undefined ? table : `${table}/index/${input.IndexName}`;
      return [
        { action: 'dynamodb:Query', resource, context: { 'dynamodb:LeadingKeys': [queriedKey(input)] } },
      ];
    }
    case 'Scan':
    case 'DescribeTable':
    case 'DescribeTimeToLive':
      return [{ action: `dynamodb:${operation}`, resource: places.tableArn(input.TableName), context: {} }];
    default:
      throw unknown({ ...rest, operation, input });
  }
}

type AttributeValue = Readonly<Record<string, string>>;

function partitionKeyOf(key: Readonly<Record<string, AttributeValue>>): string {
  const name = partitionKeys.find((candidate) => key[candidate] !== undefined);
  if (name === undefined) throw new Error(`which is the partition key of ${JSON.stringify(key)}?`);
  return Object.values(key[name]!)[0]!;
}

/** All queries here have one equation on the partition key. */
function queriedKey(input: {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, AttributeValue>>;
}): string {
  const [, placeholder] = /^#\w+ = (:\w+)$/.exec(input.KeyConditionExpression) ?? [];
  if (placeholder === undefined) throw new Error(`which key: ${input.KeyConditionExpression}`);
  return Object.values(input.ExpressionAttributeValues[placeholder]!)[0]!;
}

function ofS3(request: S3Request, places: Places): IamRequest {
  const { method, bucket, key, query } = request;
  const object = `${places.bucketArn(bucket)}/${key}`;
  if (key === '') {
    if (method !== 'GET' || query['list-type'] !== '2') throw unknown(request);
    const context: Record<string, string> = {};
    for (const parameter of ['prefix', 'delimiter', 'max-keys']) {
      if (query[parameter] !== undefined) context[`s3:${parameter}`] = query[parameter];
    }
    return { action: 's3:ListBucket', resource: places.bucketArn(bucket), context };
  }
  const upload = query.uploadId !== undefined || query.uploads !== undefined;
  if (method === 'GET' || method === 'HEAD') return { action: 's3:GetObject', resource: object, context: {} };
  if (method === 'PUT' || (method === 'POST' && upload))
    return { action: 's3:PutObject', resource: object, context: {} };
  if (method === 'DELETE') {
    return {
      action: upload ? 's3:AbortMultipartUpload' : 's3:DeleteObject',
      resource: object,
      context: {},
    };
  }
  throw unknown(request);
}

function unknown(request: RecordedRequest): Error {
  return new Error(
    `what IAM is asked for this is not written down: ${JSON.stringify(request).slice(0, 300)}`,
  );
}

/** A request in words, for messages. */
export function inWords({ action, resource, context }: IamRequest): string {
  const keys = Object.entries(context).map(([key, value]) => `${key}=${[value].flat().join(',')}`);
  return [action, resource.split(':').slice(5).join(':'), ...keys].join(' ');
}
