import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { environmentAgents } from '../../../lib/aws/environment-agents.js';

/** A proxy that keeps what it was asked, and opens no tunnel. */
async function refusingProxy() {
  const asked: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer();
  server.on('connect', ({ url, headers }, client) => {
    asked.push({ url, headers });
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { asked, port, [Symbol.dispose]: () => void server.close() };
}

/** What becomes of a connection to a service of AWS. */
function connected(env: Readonly<Record<string, string>>): Promise<Error | null> {
  const { httpsAgent } = environmentAgents(env);
  const target = { host: 'dynamodb.us-east-1.amazonaws.com', port: 443 };
  return new Promise((resolve) => void httpsAgent.createConnection(target, (error) => resolve(error)));
}

describe('D27 a proxy that asks who is there', () => {
  it('D27 is told before it opens a tunnel, and what it is told stands in no message', async () => {
    using proxy = await refusingProxy();
    const error = await connected({ HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}` });
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(proxy.asked).toMatchObject([
      { url: 'dynamodb.us-east-1.amazonaws.com:443', headers: { 'proxy-authorization': basic } },
    ]);
    expect(error?.message).toMatch(/^The proxy 127\.0\.0\.1:\d+ answered 407 to CONNECT dynamodb/);
    expect(error?.message).not.toContain('p@ss');
    expect(error?.message).not.toContain('p%40ss');
  });

  it('D27 is told nothing where nothing was said', async () => {
    using proxy = await refusingProxy();
    await connected({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    expect(proxy.asked[0]!.headers).not.toHaveProperty('proxy-authorization');
  });
});
