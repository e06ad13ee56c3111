import { type RequestOptions, request } from 'node:http';

/**
 * Asks an HTTP server for one path.
 *
 * @param target where to, in the terms of `node:http`.
 * @param timeoutMs bound for the whole exchange.
 * @returns the status, or `undefined` when there was no answer in time.
 */
export function toStatus(target: RequestOptions, timeoutMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const asked = request({ ...target, agent: false, signal: limit }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
      response.once('error', () => resolve(undefined));
    });
    asked.once('error', () => resolve(undefined));
    asked.end();
  });
}
