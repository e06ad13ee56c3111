import { describe, expect, it } from 'vitest';
import { invocationKeys } from '../../../../lib/lambda/observability/observer.js';

describe('what the lines of an invocation carry', () => {
  it.each([
    ['a seat', { run: 'r1', seat: 3 }, { run: 'r1', seat: 3 }],
    ['seat 0', { run: 'r1', seat: 0 }, { run: 'r1', seat: 0 }],
    [
      'a request to the lock service',
      { operation: 'acquire', name: 'a/b', leaseId: 'secret', execution: 'arn:1' },
      { operation: 'acquire', lock: 'a/b', execution: 'arn:1' },
    ],
    [
      'the same through a function URL',
      { version: '2.0', body: JSON.stringify({ operation: 'renew', name: 'a/b' }) },
      { operation: 'renew', lock: 'a/b' },
    ],
    [
      'and in base64',
      {
        isBase64Encoded: true,
        body: Buffer.from('{"operation":"release","name":"ü"}').toString('base64'),
      },
      { operation: 'release', lock: 'ü' },
    ],
    ['the end of an execution', { detail: { executionArn: 'arn:2' } }, { execution: 'arn:2' }],
    ["somebody's name", { name: 'Ada Lovelace' }, {}],
    ['a body that is no JSON', { body: '{' }, {}],
    ['a body that is a number', { body: '7' }, {}],
    ['what are no keys', { run: { nested: true }, seat: null, operation: '' }, {}],
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['text', 'text', {}],
  ])('%s', (_, event, keys) => {
    expect(invocationKeys(event)).toEqual(keys);
  });
});
