import { readFileSync } from 'node:fs';
import {
  type ClientRequest,
  Agent as HttpAgent,
  type RequestOptions,
  request as requestByHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectByTls } from 'node:tls';
import { UsageError } from '../errors/index.js';
import { proxyFor } from './proxy-for.js';

type Made = (error: Error | null, socket: Duplex) => void;
type Target = RequestOptions &
  ConnectionOptions & { readonly host?: string; readonly port?: number | string };

/** As the SDK's own agents. */
const connections = { keepAlive: true, maxSockets: 50 };

/** A proxy that takes the connection and then says nothing, in milliseconds. */
const tunnelTimeoutMs = 10_000;

/**
 * Agents that go by the environment as the AWS CLI does: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in either case, and
 * `AWS_CA_BUNDLE`, a PEM file whose certificates are trusted instead of the system's. Which proxy it is, if any, is
 * found for each host: a bucket in another Region may have another one.
 *
 * @throws UsageError if the bundle can't be read
 */
export function environmentAgents(env: Readonly<Record<string, string | undefined>> = process.env) {
  const trust = env.AWS_CA_BUNDLE ? { ca: readBundle(env.AWS_CA_BUNDLE) } : {};
  return {
    httpAgent: new ForwardingAgent(connections, env, trust),
    httpsAgent: new TunnellingAgent({ ...connections, ...trust }, env),
  };
}

/** What Node's own agent does next; its types do not tell of it. */
const passOn = (
  HttpAgent.prototype as unknown as { addRequest(request: ClientRequest, options: Target): void }
).addRequest;

/** Plain requests: the proxy gets the whole address. */
class ForwardingAgent extends HttpAgent {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #trust: ConnectionOptions;

  constructor(
    options: typeof connections,
    env: Readonly<Record<string, string | undefined>>,
    trust: ConnectionOptions,
  ) {
    super(options);
    this.#env = env;
    this.#trust = trust;
  }

  /** Where Node hands a request over, before it writes the first line. */
  addRequest(request: ClientRequest, options: Target): void {
    const proxy = this.#proxy(options);
    if (proxy) {
      request.path = `http://${authority(options)}${request.path}`;
      const credentials = toCredentials(proxy);
      if (credentials) request.setHeader('proxy-authorization', credentials);
    }
    passOn.call(this, request, options);
  }

  override createConnection(options: Target, made?: Made): Socket {
    const proxy = this.#proxy(options);
    if (!proxy) return super.createConnection(options as never, made as never) as Socket;
    const place = { host: toHost(proxy), port: toPort(proxy) };
    return proxy.protocol === 'https:'
      ? connectByTls({ ...this.#trust, ...place, servername: place.host })
      : connect(place);
  }

  #proxy({ host = 'localhost', port }: Target): URL | undefined {
    return proxyFor('http', host, Number(port ?? 80), this.#env);
  }
}

/** Requests by TLS: the proxy opens a way through, and sees nothing of what goes there. */
class TunnellingAgent extends HttpsAgent {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #trust: ConnectionOptions;

  constructor(
    options: typeof connections & ConnectionOptions,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    super(options);
    this.#env = env;
    this.#trust = options.ca === undefined ? {} : { ca: options.ca };
  }

  override createConnection(options: Target, made?: Made): Socket {
    const proxy = proxyFor('https', options.host ?? 'localhost', Number(options.port ?? 443), this.#env);
    if (!proxy) return super.createConnection(options as never, made as never) as Socket;
    openTunnel(proxy, authority(options), this.#trust).then(
      (socket) => made?.(null, super.createConnection({ ...options, socket } as never) as Socket),
      (error) => made?.(error, undefined as unknown as Duplex),
    );
    // Node waits for the callback where nothing comes back.
    return undefined as unknown as Socket;
  }
}

function openTunnel(proxy: URL, target: string, trust: ConnectionOptions): Promise<Socket> {
  const byTls = proxy.protocol === 'https:';
  const credentials = toCredentials(proxy);
  return new Promise((resolve, reject) => {
    const ask = (byTls ? requestByHttps : requestByHttp)({
      ...(byTls && trust),
      host: toHost(proxy),
      port: toPort(proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(credentials && { 'proxy-authorization': credentials }) },
      agent: false,
      timeout: tunnelTimeoutMs,
    });
    ask.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refused(proxy, target, statusCode));
    });
    ask.once('response', ({ statusCode }) => {
      ask.destroy();
      reject(refused(proxy, target, statusCode));
    });
    ask.once('timeout', () => ask.destroy(refused(proxy, target, 'nothing')));
    ask.once('error', reject);
    ask.end();
  });
}

/** Without the credentials that its address may have. */
function refused(proxy: URL, target: string, answer: unknown): Error {
  return new Error(`The proxy ${proxy.host} answered ${answer} to CONNECT ${target}`);
}

function authority({ host = 'localhost', port }: Target): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

function toHost(proxy: URL): string {
  return proxy.hostname.replace(/^\[|\]$/g, '');
}

function toPort({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

function toCredentials({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(plain).toString('base64')}`;
}

function readBundle(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`AWS_CA_BUNDLE can't be read: ${(cause as Error).message}`, undefined, { cause });
  }
}
