import { hostname } from 'node:os';
import type { Runtime } from '../runtime/index.js';

/** A label that tells people where to look: on Lambda the function and its log stream, elsewhere host and process. */
export function defaultOwner(runtime: Runtime): string {
  const part = runtime.randomId().slice(0, 8);
  const { AWS_LAMBDA_FUNCTION_NAME: lambda, AWS_LAMBDA_LOG_STREAM_NAME: stream } = process.env;
  return lambda ? `${lambda}/${stream ?? part}`.slice(0, 256) : `${hostname()}/${process.pid}/${part}`;
}
