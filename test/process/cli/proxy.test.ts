import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createPlainServer, request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/cli/command-line.js';
import { connectProxy } from '../../support/cli/connect-proxy.js';
import { type LeaseTerminal, openLeaseTerminal } from '../../support/cli/lease-terminal.js';

const host = 'dynamodb.us-east-1.amazonaws.com';

/** AWS, as seen from behind a proxy: TLS with a certificate that only `AWS_CA_BUNDLE` knows, before a local engine. */
describe('D27 behind a proxy', () => {
  let desk: LeaseTerminal;
  let folder: string;
  let port: number;
  let close: () => void;

  beforeAll(async () => {
    desk = await openLeaseTerminal();
    folder = await mkdtemp(join(tmpdir(), 'leasehold-proxy-'));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'ca.pem')];
    const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'],
      ...['-keyout', key, '-out', certificate, ...subject],
    ]);
    const target = new URL(desk.dynamo.endpoint);
    const tls = { key: await readFile(key), cert: await readFile(certificate) };
    const server = createServer(tls, (incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const onward = request(
        { host: target.hostname, port: target.port, method, path, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    close = () => {
      server.close();
      server.closeAllConnections();
    };
  });
  afterAll(async () => {
    close?.();
    if (folder) await rm(folder, { recursive: true });
    await desk?.[Symbol.asyncDispose]();
  });

  const bundle = () => ({ AWS_CA_BUNDLE: join(folder, 'ca.pem'), AWS_MAX_ATTEMPTS: '1' });

  it.each(['HTTPS_PROXY', 'https_proxy'])('D27 goes through %s, and trusts AWS_CA_BUNDLE', async (name) => {
    await using _lease = await desk.locks.acquire('seen-through-a-proxy');
    await using proxy = await connectProxy({ [`${host}:443`]: port });
    const { exitCode, stdout, stderr } = await runCommand(['ls'], { ...bundle(), [name]: proxy.url });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('seen-through-a-proxy');
    expect(new Set(proxy.asked)).toEqual(new Set([`${host}:443`]));
  });

  it('D27 does not trust a certificate that it does not know: 78, a set-up that is broken', async () => {
    await using proxy = await connectProxy({ [`${host}:443`]: port });
    const env = { HTTPS_PROXY: proxy.url, AWS_MAX_ATTEMPTS: '1' };
    const { exitCode, stderr } = await runCommand(['ls'], env);
    expect(exitCode).toBe(78);
    expect(stderr).toMatch(/certificate/);
  });

  it('D27 hands the whole address, and who asks, to the proxy for a plain one', async () => {
    const asked: unknown[] = [];
    const target = new URL(desk.dynamo.endpoint);
    const proxy = createPlainServer((incoming, outgoing) => {
      asked.push([incoming.url, incoming.headers['proxy-authorization']]);
      const { method, headers } = incoming;
      const onward = request(
        { host: target.hostname, port: target.port, method, path: '/', headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const env = { HTTP_PROXY: `me:se%20cret@127.0.0.1:${(proxy.address() as AddressInfo).port}` };
      const { exitCode } = await runCommand(['ls', '--endpoint', 'http://aws.test:8000'], env);
      expect(exitCode).toBe(0);
      const credentials = `Basic ${Buffer.from('me:se cret').toString('base64')}`;
      expect(asked).toContainEqual(['http://aws.test:8000/', credentials]);
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });

  it('D27 says what the proxy answered', async () => {
    await using proxy = await connectProxy({});
    const env = { ...bundle(), HTTPS_PROXY: proxy.url };
    const { exitCode, stderr } = await runCommand(['ls'], env);
    expect(exitCode).toBe(69);
    expect(stderr).toContain(`answered 403 to CONNECT ${host}:443`);
  });

  it('D27 goes past the proxy where NO_PROXY says so', async () => {
    await using proxy = await connectProxy({});
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1,localhost' };
    const { exitCode } = await runCommand(['ls', '--endpoint', desk.dynamo.endpoint], env);
    expect({ exitCode, asked: proxy.asked }).toEqual({ exitCode: 0, asked: [] });
  });

  it.each([
    ['s3', ['scan', 's3://a-bucket/x', '--run', 'one']],
    ['states', ['scan', '--state-machine', 'arn:aws:states:us-east-1:111122223333:stateMachine:Scan']],
  ])('D27 asks for %s through the proxy, too', async (service, args) => {
    await using proxy = await connectProxy({ [`${host}:443`]: port });
    const env = { ...bundle(), HTTPS_PROXY: proxy.url };
    const { exitCode } = await runCommand(args, env);
    // The proxy of this test refuses all but the table.
    expect(exitCode).not.toBe(0);
    expect(proxy.asked.some((asked) => asked.includes(service))).toBe(true);
  });

  it('D27 says so when the bundle is not there', async () => {
    const { exitCode, stderr } = await runCommand(['ls'], { AWS_CA_BUNDLE: '/no/such/file.pem' });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 78,
      stderr: expect.stringMatching(/^leasehold: AWS_CA_BUNDLE can't be read: .*\/no\/such\/file\.pem/),
    });
  });
});
