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
      const result = await (args.send ?? next)(args);
      clock.observe(sentAt, readHeader(result.response, 'date'));
      return result;
    },
    // The innermost place: inside the SDK's retries, and before an error answer is turned into an exception.
    { step: 'deserialize', priority: 'low', name: 'leaseholdStoreClock', override: true },
  );
}

/**
 * Lets commands of one kind share what the SDK makes of its middleware for each anew, a sixth of a request: for a client
 * that nobody changes any more. As the SDK's own `cacheMiddleware`, which does not go with a signal.
 *
 * @param known what was made, of this client and by kind
 */
export function sharing(command: AnyCommand, known: Map<unknown, Handler>): void {
  const { resolveMiddleware, constructor: kind } = command;
  command.resolveMiddleware = (stack: unknown, config: AnyCommand, options: unknown): Handler => {
    const handler = known.get(kind) ?? resolveMiddleware.call(command, stack, config, {});
    known.set(kind, handler);
    const send = ({ request }: AnyCommand) => config.requestHandler.handle(request, options);
    return ({ input }: AnyCommand) => handler({ input, send });
  };
}

/** One request through all middleware. */
export type Handler = (args: AnyCommand) => Promise<AnyCommand>;

function readHeader(response: unknown, name: string): string | undefined {
  const headers = (response as { headers?: Record<string, string> } | undefined)?.headers ?? {};
  return Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
}
