import { describe, expect, it } from 'vitest';
import type { ServiceAnswer } from '../../../lib/service/answer.js';
import { isUrlEvent, overHttp } from '../../../lib/service/index.js';

const post = { http: { method: 'POST' } };
const now = { earliest: 1, latest: 2 };

/** What comes back over HTTP, and the request that the service was asked. */
async function asked(event: object, answer: object = { ok: true, now }) {
  const requests: unknown[] = [];
  const given = await overHttp({ requestContext: post, ...event } as never, async (request) => {
    requests.push(request);
    return answer as ServiceAnswer;
  });
  return { given, body: JSON.parse(given.body), requests };
}

const usage = (message: string) => ({ ok: false, error: { name: 'UsageError', code: 'USAGE', message } });

describe('a call of a function’s URL', () => {
  it('is told from other events by its method', () => {
    expect(isUrlEvent({ requestContext: post })).toBe(true);
    for (const event of [
      ...[undefined, null, 7, 'text', {}, { requestContext: null }, { requestContext: {} }],
      ...[{ requestContext: { http: null } }, { requestContext: { http: {} } }],
      { requestContext: { http: { method: 7 } } },
    ])
      expect(isUrlEvent(event)).toBe(false);
  });

  it('is answered by the same JSON', async () => {
    const answer = { ok: true, lock: null, now };
    const { given, body } = await asked({ body: '{"operation":"inspect"}' }, answer);
    expect(given).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(body).toEqual(answer);
  });

  it('asks what its body says, plain or in Base64; never to be thrown at', async () => {
    const request = { operation: 'inspect', name: 'ü', throw: true };
    const text = JSON.stringify(request);
    const base64 = { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
    for (const event of [{ body: text }, { body: text, isBase64Encoded: false }, base64])
      expect((await asked(event)).requests).toEqual([{ ...request, throw: false }]);
    // What is no object the service itself refuses.
    for (const other of [7, null, [1], 'text'])
      expect((await asked({ body: JSON.stringify(other) })).requests).toEqual([other]);
  });

  it('by another method, or without JSON, is refused before the service is asked', async () => {
    for (const method of ['GET', 'PUT', 'post']) {
      const { given, body, requests } = await asked({ requestContext: { http: { method } }, body: '{}' });
      expect(given.statusCode).toBe(405);
      expect(body).toEqual(usage('method: must be POST'));
      expect(requests).toEqual([]);
    }
    for (const event of [{}, { body: '' }, { body: '{' }, { body: '!', isBase64Encoded: true }]) {
      const { given, body, requests } = await asked(event);
      expect(given.statusCode).toBe(400);
      expect(body).toEqual(usage('body: must be JSON'));
      expect(requests).toEqual([]);
    }
  });

  it.each([
    ['UsageError', 'USAGE', 400],
    ['UsageError', 'NOT_ALLOWED', 403],
    ['StoreError', 'STORE_ERROR', 503],
    ['LockHeldError', 'LOCK_HELD', 409],
    ['LockLostError', 'LOCK_LOST', 409],
    ['AlreadyCompletedError', 'ALREADY_COMPLETED', 409],
    ['LineFullError', 'LINE_FULL', 409],
  ])('that ends by %s %s has the status that fits: %i', async (name, code, status) => {
    const answer = { ok: false, error: { name, code, message: 'm' } };
    const { given, body } = await asked({ body: '{}' }, answer);
    expect(given.statusCode).toBe(status);
    expect(body).toEqual(answer);
  });
});
