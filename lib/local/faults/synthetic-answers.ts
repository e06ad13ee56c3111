import { Readable } from 'node:stream';
import type { ThrottleError } from './fault.js';
import type { HttpAnswer } from './http-exchange.js';

const namespace = 'com.amazonaws.dynamodb.v20120810';

/** The error that Node's HTTP client gives when its connection is reset, as the SDK's handler passes it on. */
export function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
}

/** The error of an attempt that took too long, as the SDK's handler makes it. */
export function attemptTimedOut(): Error {
  return Object.assign(new Error('the request timed out'), { name: 'TimeoutError', code: 'ETIMEDOUT' });
}

/** DynamoDB's answer to a request that it throttles. */
export function throttled(error: ThrottleError): HttpAnswer {
  return errorAnswer(400, error, 'Rate of requests exceeds the allowed throughput.');
}

/** DynamoDB's answer when it fails itself. */
export function serverError(): HttpAnswer {
  return errorAnswer(500, 'InternalServerError', 'The request processing has failed because of an error.');
}

/** Moves the `Date` header of an answer. */
export function shiftDate(answer: HttpAnswer, offsetMs: number): HttpAnswer {
  if (offsetMs === 0) return answer;
  const { headers } = answer.response;
  for (const name of Object.keys(headers)) {
    if (name.toLowerCase() !== 'date') continue;
    headers[name] = new Date(Date.parse(headers[name] ?? '') + offsetMs).toUTCString();
  }
  return answer;
}

function errorAnswer(statusCode: number, type: string, message: string): HttpAnswer {
  const body = Buffer.from(JSON.stringify({ __type: `${namespace}#${type}`, message }));
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(body.length),
    'x-amzn-errortype': type,
    date: new Date().toUTCString(),
  };
  return { response: { statusCode, headers, body: Readable.from([body]) } };
}
