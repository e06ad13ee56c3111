import type { ServiceAnswer } from './answer.js';

/** What a Lambda function's URL hands over, as far as the service reads it. */
interface UrlEvent {
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** What a function's URL answers. */
export interface UrlAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Whether the event came by a function's URL.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export function isUrlEvent(event: unknown): event is UrlEvent {
  const { requestContext } = (event ?? {}) as {
    requestContext?: { http?: { method?: unknown } | null } | null;
  };
  return typeof requestContext?.http?.method === 'string';
}

/** Answers a request over HTTP with the same JSON; the status says how it ended. `throw` has no meaning here. */
export async function overHttp(
  event: UrlEvent,
  answer: (request: unknown) => Promise<ServiceAnswer>,
): Promise<UrlAnswer> {
  if (event.requestContext.http.method !== 'POST') return httpAnswer(405, refusal('method: must be POST'));
  const request = parsed(event);
  if (request === undefined) return httpAnswer(400, refusal('body: must be JSON'));
  const given = await answer(isObject(request) ? { ...request, throw: false } : request);
  return httpAnswer(toStatus(given), given);
}

function parsed({ body = '', isBase64Encoded }: UrlEvent): unknown {
  try {
    return JSON.parse(isBase64Encoded ? Buffer.from(String(body), 'base64').toString('utf8') : body);
  } catch {
    return undefined;
  }
}

function toStatus(answer: ServiceAnswer): number {
  if (answer.ok) return 200;
  const { error } = answer;
  switch (error.name) {
    case 'UsageError':
      return error.code === 'NOT_ALLOWED' ? 403 : 400;
    case 'StoreError':
      return 503;
    default:
      return 409;
  }
}

function refusal(message: string): ServiceAnswer {
  return { ok: false, error: { name: 'UsageError', code: 'USAGE', message } };
}

function httpAnswer(statusCode: number, answer: ServiceAnswer): UrlAnswer {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
