import { InvokeCommand } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { LambdaTransport } from '../../../lib/service-client/service-transport.js';

const { signal } = new AbortController();
const answer = { Payload: Buffer.from('{"ok":true,"ü":1}'), $metadata: { attempts: 3 } };

/** A client of a user's, of one kind or the other, and what it was asked. */
function scene(given: object) {
  const asked: unknown[][] = [];
  const client = {
    send: async (command: InvokeCommand, options: unknown) => {
      asked.push([command instanceof InvokeCommand, command.input, options]);
      return given;
    },
  };
  const bringing = {
    ...client,
    invoke: async (input: unknown, options: unknown) => {
      asked.push(['invoke', input, options]);
      return given;
    },
  };
  const config = { maxAttempts: 1, requestHandler: {} };
  return {
    asked,
    of: (which: 'client' | 'bringing') => new LambdaTransport('f', { client, bringing }[which], config),
  };
}

const input = { FunctionName: 'f', Payload: Buffer.from('{"a":"ü"}') };

describe('a request to the function', () => {
  it('goes by the client that was given, with its signal', async () => {
    const { asked, of } = scene(answer);
    const response = { payload: '{"ok":true,"ü":1}', failed: false, attempts: 3 };
    expect(await of('client').send('{"a":"ü"}', signal)).toEqual(response);
    expect(await of('bringing').send('{"a":"ü"}', signal)).toEqual(response);
    expect(asked).toEqual([
      [true, input, { abortSignal: signal }],
      ['invoke', input, { abortSignal: signal }],
    ]);
    for (const [, , options] of asked) expect((options as { abortSignal: unknown }).abortSignal).toBe(signal);
  });

  it('was sent once where nobody counts, and has no answer where there is none', async () => {
    const { of } = scene({ $metadata: {} });
    expect(await of('client').send('{}', signal)).toEqual({ payload: '', failed: false, attempts: 1 });
  });

  it('failed where the function did', async () => {
    const { of } = scene({ ...answer, FunctionError: 'Unhandled' });
    expect(await of('client').send('{}', signal)).toMatchObject({ failed: true });
  });

  it('goes by a client of its own where none was given: made once, with its settings, and closed', async () => {
    const sent: [string, string | undefined][] = [];
    let closed = 0;
    const requestHandler = {
      handle: async (request: { hostname: string; headers: Record<string, string>; path: string }) => {
        sent.push([`${request.hostname}${request.path}`, request.headers.authorization?.split('/')[2]]);
        return { response: { statusCode: 200, headers: {}, body: Buffer.from('{}') } };
      },
      destroy: () => {
        closed += 1;
      },
    };
    let made = 0;
    // Each client asks for its own, once.
    const credentials = async () => {
      made += 1;
      return { accessKeyId: 'local', secretAccessKey: 'local' };
    };
    const config = { region: 'eu-west-1', maxAttempts: 1, requestHandler, credentials };
    const transport = new LambdaTransport('f', undefined, config);
    transport.close();
    expect(closed).toBe(0);
    await transport.send('{}', signal);
    expect(await transport.send('{}', signal)).toMatchObject({ attempts: 1, failed: false });
    const where = 'lambda.eu-west-1.amazonaws.com/2015-03-31/functions/f/invocations';
    expect(sent).toEqual([
      [where, 'eu-west-1'],
      [where, 'eu-west-1'],
    ]);
    expect(made).toBe(1);
    transport.close();
    expect(closed).toBe(1);
  });

  it('closes no client that was given', () => {
    const client = {
      send: async () => answer,
      destroy: () => {
        throw new Error('not yours');
      },
    };
    expect(() =>
      new LambdaTransport('f', client, { maxAttempts: 1, requestHandler: {} }).close(),
    ).not.toThrow();
  });
});
