import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Agent } from 'agent-base';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';
import { SetUpFailure } from './report-error.js';

/** What a client's `requestHandler` takes. */
export interface ProxyAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** As the SDK's own agents. */
const connections = { keepAlive: true, maxSockets: 50 };

/**
 * Agents that go by the environment as the AWS CLI does: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in either case, and
 * `AWS_CA_BUNDLE`, a PEM file whose certificates are trusted instead of the system's. Which proxy it is, if any, is
 * found for each host: a bucket in another Region has another one.
 *
 * @throws SetUpFailure if the bundle can't be read
 */
export function proxyAgents(): ProxyAgents {
  const { env } = process;
  const trust = env.AWS_CA_BUNDLE ? { ca: readBundle(env.AWS_CA_BUNDLE) } : {};
  const agent = new EnvironmentAgent(trust);
  // Told apart by their type only; which of the two a request is for it says itself.
  return { httpAgent: agent, httpsAgent: agent as unknown as HttpsAgent };
}

class EnvironmentAgent extends Agent {
  readonly #trust: { readonly ca?: string };
  readonly #agents = new Map<string, HttpAgent>();

  constructor(trust: { readonly ca?: string }) {
    // The proxy’s agent takes what it trusts from the request, and that from here.
    super({ ...connections, ...trust });
    this.#trust = trust;
  }

  override async connect(
    _request: unknown,
    { host, port, secureEndpoint }: { host?: string; port?: number; secureEndpoint: boolean },
  ): Promise<HttpAgent> {
    const scheme = secureEndpoint ? 'https' : 'http';
    const proxy = this.#proxyFor(scheme, `${scheme}://${host}:${port}`);
    const key = `${scheme} ${proxy}`;
    const agent = this.#agents.get(key) ?? this.#make(secureEndpoint, proxy);
    this.#agents.set(key, agent);
    return agent;
  }

  override destroy(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    super.destroy();
  }

  /** `ALL_PROXY` is not looked at: the AWS CLI does not either. */
  #proxyFor(scheme: string, url: string): string {
    const own = process.env[`${scheme}_proxy`] || process.env[`${scheme.toUpperCase()}_PROXY`];
    return own ? getProxyForUrl(url) : '';
  }

  #make(secure: boolean, proxy: string): HttpAgent {
    const options = { ...connections, ...this.#trust };
    if (proxy === '') return secure ? new HttpsAgent(options) : new HttpAgent(options);
    return secure ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
  }
}

function readBundle(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new SetUpFailure('NO_CA_BUNDLE', `AWS_CA_BUNDLE can't be read: ${(cause as Error).message}`);
  }
}
