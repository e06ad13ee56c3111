import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../../lib/aws/proxy-for.js';

describe('D27 the proxy of a request', () => {
  const host = 'dynamodb.us-east-1.amazonaws.com';
  const set = { HTTPS_PROXY: 'http://proxy.corp:3128', HTTP_PROXY: 'http://plain.corp:80' };
  const through = (env: Record<string, string>, target = host, port = 443) =>
    proxyFor('https', target, port, env)?.host;

  it('D27 goes by the scheme of what is asked for', () => {
    expect(through(set)).toBe('proxy.corp:3128');
    expect(proxyFor('http', host, 80, set)?.host).toBe('plain.corp');
    expect(through({ HTTP_PROXY: 'http://plain.corp' })).toBeUndefined();
    expect(through({ ALL_PROXY: 'http://all.corp' })).toBeUndefined();
  });

  it('D27 takes names in lower case first, also where they are empty', () => {
    expect(through({ ...set, https_proxy: 'http://lower:1' })).toBe('lower:1');
    expect(through({ ...set, https_proxy: '' })).toBeUndefined();
  });

  it.each(['proxy.corp:3128', '//proxy.corp:3128', ' http://proxy.corp:3128 '])(
    'D27 takes an address written as %j',
    (text) => expect(through({ HTTPS_PROXY: text })).toBe('proxy.corp:3128'),
  );

  it.each([
    ['*', true],
    ['amazonaws.com', true],
    ['.amazonaws.com', true],
    ['*.amazonaws.com', true],
    ['a.corp, AMAZONAWS.COM.', true],
    ['a.corp us-east-1.amazonaws.com', true],
    [`${host}:443`, true],
    [`${host}:8443`, false],
    ['aws.com', false],
    ['', false],
    [' , ', false],
    ['10.0.0.0/8', false],
  ])('D27 past the proxy, or not, for NO_PROXY %s', (exceptions, past) => {
    expect(through({ ...set, NO_PROXY: exceptions }) === undefined).toBe(past);
  });

  it.each(['::1', '[::1]', '[::1]:443'])('D27 knows an IPv6 address in NO_PROXY: %s', (exception) => {
    expect(through({ ...set, no_proxy: exception }, '[::1]')).toBeUndefined();
    expect(through({ ...set, no_proxy: exception }, '[::2]')).toBeDefined();
  });
});
