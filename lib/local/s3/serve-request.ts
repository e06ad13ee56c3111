import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket } from './bucket.js';
import { emptyPage, listObjects, listParameters } from './list-objects.js';
import { readObject } from './read-object.js';
import { noSuchKey, notImplemented, S3Error } from './s3-error.js';
import {
  type S3Fault,
  type S3FaultHook,
  type S3Request,
  type S3RequestCounter,
  s3Request,
} from './s3-requests.js';
import { deleteObject, writeObject } from './write-object.js';

import { xmlDocument } from './xml.js';

/** What an endpoint serves from. */
export interface Served {
  readonly buckets: ReadonlyMap<string, Bucket>;
  readonly counter: S3RequestCounter;
  readonly faults?: S3FaultHook;
  /** Fires when the endpoint stops. */
  readonly stopped: AbortSignal;
}

/** Answers one HTTP request; errors become S3's XML. Never rejects. */
export async function serveRequest(
  served: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const parsed = s3Request(request);
    served.counter.add(parsed.operation);
    const fault = (await served.faults?.(parsed)) ?? 'ok';
    if (fault === 'hang') return;
    if (fault === 'drop') {
      request.socket.destroy();
      return;
    }
    if (typeof fault === 'object') await sleep(fault.delayMs, undefined, { signal: served.stopped });
    if (fault === 'drop-answer') response.end = resetInstead(request, response);
    throwFor(fault);
    await act(served, parsed, fault, request, response);
  } catch (error) {
    sendError(error, request, response);
  }
}

async function act(
  served: Served,
  parsed: S3Request,
  fault: S3Fault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bucket = served.buckets.get(parsed.bucket);
  if (!bucket) throw new S3Error('NoSuchBucket', 404, 'The specified bucket does not exist');
  const key = parsed.key ?? '';
  switch (parsed.operation) {
    case 'list': {
      const query = new URLSearchParams(parsed.query);
      if (fault === 'ignore-start-after') query.delete('start-after');
      const parameters = listParameters(query);
      const isEmpty = fault === 'empty-page' && parameters.continuationToken === undefined;
      const body = isEmpty ? emptyPage(bucket, parameters) : await listObjects(bucket, parameters);
      response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
      return;
    }
    case 'get':
    case 'head':
      return await readObject(bucket, key, request, response);
    case 'put': {
      const { etag } = await writeObject(bucket, key, request);
      response.writeHead(200, { etag, 'content-length': 0 }).end();
      return;
    }
    case 'delete':
      await deleteObject(bucket, key, request.headers);
      response.writeHead(204).end();
      return;
    case 'head-bucket':
      response.writeHead(200, { 'x-amz-bucket-region': 'us-east-1' }).end();
      return;
    case 'other':
      if (parsed.method === 'GET' || parsed.query.size > 0) throw notImplemented('This operation');
      throw new S3Error(
        'MethodNotAllowed',
        405,
        'The specified method is not allowed against this resource.',
      );
  }
}

function throwFor(fault: S3Fault): void {
  if (fault === 'deny') throw new S3Error('AccessDenied', 403, 'Access Denied');
  if (fault === 'slow-down') throw new S3Error('SlowDown', 503, 'Please reduce your request rate.');
  if (fault === 'internal-error')
    throw new S3Error('InternalError', 500, 'We encountered an internal error.');
}

function resetInstead(request: IncomingMessage, response: ServerResponse): ServerResponse['end'] {
  return () => {
    request.socket.destroy();
    return response;
  };
}

function sendError(error: unknown, request: IncomingMessage, response: ServerResponse): void {
  // The caller has gone, or the answer has begun: nothing can be said any more.
  if (response.headersSent || response.destroyed) {
    request.socket.destroy();
    return;
  }
  const known = error instanceof S3Error ? error : fromSystem(error);
  const body = xmlDocument('Error', { Code: known.code, Message: known.message });
  // A body that nobody has read would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(known.status, { 'content-type': 'application/xml' });
  response.end(request.method === 'HEAD' ? undefined : body);
  request.resume();
}

function fromSystem(error: unknown): S3Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return noSuchKey();
  return new S3Error('InternalError', 500, message);
}
