type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that a request goes through, by the environment as the AWS CLI reads it: `HTTPS_PROXY` or `HTTP_PROXY` by the
 * target's scheme, past the hosts of `NO_PROXY`; names in lower case count before the others. `ALL_PROXY` is not looked at.
 *
 * @param host the target's name or address, an IPv6 address with or without brackets
 * @returns undefined where it goes straight there
 * @throws TypeError if what is set is no address
 */
export function proxyFor(
  scheme: 'http' | 'https',
  host: string,
  port: number,
  env: Environment,
): URL | undefined {
  const text = variable(env, `${scheme}_proxy`);
  if (text === undefined || isExcepted(host, port, variable(env, 'no_proxy') ?? '')) return undefined;
  // "proxy:3128" is how many write it.
  return new URL(text.includes('://') ? text : `http://${text.replace(/^\/\//, '')}`);
}

/** Whether anything says that requests go another way than the SDK's own. */
export function isProxySet(env: Environment): boolean {
  return variable(env, 'https_proxy') !== undefined || variable(env, 'http_proxy') !== undefined;
}

/** One set in lower case and empty takes the other one away. */
function variable(env: Environment, name: string): string | undefined {
  const text = env[name] ?? env[name.toUpperCase()];
  return text?.trim() || undefined;
}

/** A name stands for itself and for all below it, with or without a dot before it; `*` for all. */
function isExcepted(host: string, port: number, exceptions: string): boolean {
  const name = bare(host);
  return exceptions.split(/[\s,]+/).some((exception) => {
    if (exception === '*') return true;
    const [, text = exception, ofPort] = /^(.*[^:]):(\d+)$/.exec(exception) ?? [];
    if (ofPort !== undefined && Number(ofPort) !== port) return false;
    const below = bare(text).replace(/^\*?\.+/, '');
    return below !== '' && (name === below || name.endsWith(`.${below}`));
  });
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
