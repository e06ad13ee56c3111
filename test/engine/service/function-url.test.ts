import { describe, expect, it } from 'vitest';
import { handlerOver, rightRequests } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

/** A call of a function's URL, as Lambda hands it over. */
function call(body: unknown, { method = 'POST', base64 = false } = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    version: '2.0',
    rawPath: '/',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method, path: '/' } },
    body: base64 ? Buffer.from(text).toString('base64') : text,
    isBase64Encoded: base64,
  };
}

describe('the service behind a function’s URL', () => {
  const stage = useStage();

  it('answers the same JSON, with the status that fits', async () => {
    const actor = stage.it.actor({ maxAttempts: 1 });
    const handle = handlerOver(actor, { names: ['lock-*'] });
    const name = stage.name();
    const answers = [
      [200, await handle(call(rightRequests(name, 'first-lease').acquire))],
      [200, await handle(call(rightRequests(name, 'first-lease').acquire, { base64: true }))],
      [409, await handle(call({ ...rightRequests(name, 'second-lease').acquire, throw: true }))],
      [409, await handle(call({ ...rightRequests(name, 'second-lease').renew, token: 1 }))],
      [400, await handle(call({ operation: 'acquire' }))],
      [400, await handle(call('{"operation":'))],
      [400, await handle(call('null'))],
      [403, await handle(call({ operation: 'inspect', name: 'other' }))],
      [403, await handle(call(rightRequests(name).break))],
      [405, await handle(call('', { method: 'GET' }))],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer).toMatchObject({ statusCode: status, headers: { 'content-type': 'application/json' } });
      expect(JSON.parse(answer.body).ok).toBe(status === 200);
    }
    actor.faults.on('GetItem').once().throttle();
    const failed = await handle(call({ operation: 'inspect', name }));
    expect(failed.statusCode).toBe(503);
    expect(JSON.parse(failed.body)).toMatchObject({ error: { name: 'StoreError', retryable: true } });
  });
});
