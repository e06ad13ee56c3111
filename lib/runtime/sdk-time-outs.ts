/**
 * The settings of a client of the AWS SDK that bound each attempt of a request. Without `throwOnRequestTimeout` the SDK
 * only warns when the time is up.
 *
 * @param requestTimeoutMs the end of one attempt, in milliseconds
 * @param connectionTimeoutMs the end of connecting, in milliseconds. @default as the attempt
 */
export function sdkTimeOuts(requestTimeoutMs: number, connectionTimeoutMs = requestTimeoutMs) {
  return {
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      connectionTimeout: connectionTimeoutMs,
      throwOnRequestTimeout: true,
    },
  };
}
