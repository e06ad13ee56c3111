import type { IncomingMessage } from 'node:http';

/** A request as it went over the wire. */
export type RecordedRequest = JsonRequest | S3Request | LambdaRequest;

/** DynamoDB and Step Functions speak the same protocol: the operation in a header, the input as JSON. */
export interface JsonRequest {
  readonly service: 'dynamodb' | 'states';
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  readonly input: any;
}

/** A request to S3, path-style. */
export interface S3Request {
  readonly service: 's3';
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
}

/** An invocation of a function. */
export interface LambdaRequest {
  readonly service: 'lambda';
  readonly functionName: string;
}

/** @throws Error if the request is in a protocol that is not known here */
export function recordedRequestOf(
  service: 'dynamodb' | 's3' | 'states' | 'lambda',
  incoming: IncomingMessage,
  body: Buffer,
): RecordedRequest {
  const url = new URL(incoming.url!, 'http://localhost');
  if (service === 's3') {
    const [bucket = '', ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    const query = Object.fromEntries(url.searchParams);
    return { service, method: incoming.method!, bucket, key: rest.join('/'), query };
  }
  if (service === 'lambda') {
    const [, functionName] = /\/functions\/([^/]+)\/invocations$/.exec(url.pathname) ?? [];
    if (functionName === undefined) throw new Error(`not an invocation: ${incoming.method} ${incoming.url}`);
    return { service, functionName: decodeURIComponent(functionName) };
  }
  const target = [incoming.headers['x-amz-target']].flat()[0];
  if (target === undefined) throw new Error(`no X-Amz-Target: ${incoming.method} ${incoming.url}`);
  return { service, operation: target.split('.').at(-1)!, input: JSON.parse(body.toString('utf8')) };
}
