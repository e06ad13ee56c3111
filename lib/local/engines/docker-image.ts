import { type RequestOptions, request } from 'node:http';
import { toStatus } from './answers.js';

const lookLimitMs = 2_000;
/** DynamoDB Local's image has some 200 MB. */
const pullLimitMs = 100_000;

/**
 * Makes sure that a Docker engine has an image: looks, and pulls it if it is not there.
 *
 * @param target the engine's address, in the terms of `node:http`
 * @returns `undefined` when it has it, else the reason
 */
export async function imageMissing(target: RequestOptions, image: string): Promise<string | undefined> {
  const path = `/images/${encodeURIComponent(image)}/json`;
  if ((await toStatus({ ...target, path }, lookLimitMs)) === 200) return undefined;
  const problem = await pull(target, image);
  return problem && `Docker answers, but has no image ${image} and can't pull it: ${problem}`;
}

/** Pulls by the engine's own interface, which reports a failure as a status or in the last lines of its answer. */
function pull(target: RequestOptions, image: string): Promise<string | undefined> {
  const path = `/images/create?fromImage=${encodeURIComponent(image.includes(':') ? image : `${image}:latest`)}`;
  return new Promise((resolve) => {
    const options = {
      ...target,
      path,
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(pullLimitMs),
    };
    const asked = request(options, (response) => {
      let tail = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        tail = (tail + chunk).slice(-2_000);
      });
      response.once('error', (error) => resolve(error.message));
      response.once('end', () => {
        const told = /"(?:error|message)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(tail)?.[1];
        const pulled = response.statusCode === 200 && !tail.includes('"error"');
        resolve(pulled ? undefined : told ? JSON.parse(told) : `status ${response.statusCode}`);
      });
    });
    asked.once('error', (error) => resolve(error.message));
    asked.end();
  });
}
