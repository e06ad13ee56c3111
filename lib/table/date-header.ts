import type { StoreClock } from '../clock/index.js';

// biome-ignore lint/suspicious/noExplicitAny: the SDK types a middleware stack by its command
type AnyCommand = any;

/**
 * Lets the clock see the `Date` of every response to this command: also of errors, and of each attempt with the
 * moment at which that attempt was sent. It rides on the command, so that a client of the user's is not changed
 * and may serve many clocks.
 *
 * @see https://aws.amazon.com/blogs/developer/middleware-stack-modular-aws-sdk-js/
 */
export function timed(command: AnyCommand, clock: StoreClock): void {
  command.middlewareStack.add(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (next: any) => async (args: any) => {
      const sentAt = clock.instant();
      const result = await next(args);
      clock.observe(sentAt, readHeader(result.response, 'date'));
      return result;
    },
    // The innermost place: inside the SDK's retries, and before an error answer is turned into an exception.
    { step: 'deserialize', priority: 'low', name: 'leaseholdStoreClock', override: true },
  );
}

function readHeader(response: unknown, name: string): string | undefined {
  const headers = (response as { headers?: Record<string, string> } | undefined)?.headers ?? {};
  return Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
}
