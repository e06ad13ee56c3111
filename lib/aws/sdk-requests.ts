import { sdkTimeOuts } from '../runtime/index.js';
import { isProxySet } from './proxy-for.js';

/**
 * How the clients of the AWS SDK that this package makes for its functions send: with time-outs that hold, and by the
 * proxy that the environment names, which the SDK does not look at. What a proxy takes is loaded at the first request,
 * and only where one is set.
 *
 * @param requestTimeoutMs the end of one attempt, in milliseconds
 * @param connectionTimeoutMs @default as the attempt
 */
export function sdkRequests(requestTimeoutMs: number, connectionTimeoutMs = requestTimeoutMs) {
  const timeOuts = sdkTimeOuts(requestTimeoutMs, connectionTimeoutMs);
  if (!isProxySet(process.env) && !process.env.AWS_CA_BUNDLE) return timeOuts;
  const provide = async () => {
    const { environmentAgents } = await import('./environment-agents.js');
    return { ...timeOuts.requestHandler, ...environmentAgents() };
  };
  // The handler takes a provider in place of its options, though the type of a client's setting does not say so.
  return { requestHandler: provide as unknown as typeof timeOuts.requestHandler };
}
