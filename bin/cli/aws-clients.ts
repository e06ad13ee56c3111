import { isProxySet } from '../../lib/aws/proxy-for.js';
import { sdkTimeOuts } from '../../lib/runtime/index.js';
import { SetUpFailure } from './report-error.js';

/** What each of the command line's AWS clients is made with. */
export interface AwsClientConfig {
  readonly region?: string;
  readonly requestHandler: Readonly<Record<string, unknown>>;
}

/**
 * What is common to all clients of the command line: the Region, the time that a request may take, and the way out
 * through a proxy.
 *
 * @param region absent: as the AWS SDK finds it
 * @param requestTimeoutMs the end of one attempt of a request
 * @throws SetUpFailure if the environment names a file that can't be read
 */
export async function awsClientConfig(
  region: string | undefined,
  requestTimeoutMs: number,
): Promise<AwsClientConfig> {
  return {
    ...(region !== undefined && { region }),
    requestHandler: { ...sdkTimeOuts(requestTimeoutMs).requestHandler, ...(await agents()) },
  };
}

/** Loaded only where something is set. */
async function agents(): Promise<Readonly<Record<string, unknown>>> {
  if (!isProxySet(process.env) && !process.env.AWS_CA_BUNDLE) return {};
  const { environmentAgents } = await import('../../lib/aws/environment-agents.js');
  try {
    return { ...environmentAgents() };
  } catch (cause) {
    throw new SetUpFailure('NO_CA_BUNDLE', (cause as Error).message);
  }
}

/**
 * Finds the Region before anything is sent: the SDK would say only that it is missing, and only at the first request.
 *
 * @throws SetUpFailure if nothing says which
 */
export async function checkRegion(client: {
  readonly config: { readonly region: () => Promise<string> };
}): Promise<void> {
  try {
    await client.config.region();
  } catch {
    throw new SetUpFailure(
      'NO_REGION',
      'There is no Region: give one with --region, in AWS_REGION, or in the profile of AWS_PROFILE',
    );
  }
}
