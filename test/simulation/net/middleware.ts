import { NotSimulated } from '../store/attribute-values.js';
import { PlainCommand } from './plain-commands.js';

// biome-ignore lint/suspicious/noExplicitAny: the SDK types its middleware by command
type Any = any;

/** One step of a request. */
export type Handler = (args: Any) => Promise<Any>;

/** Wraps the next step. */
export type Middleware = (next: Handler, context: object) => Handler;

/** A command's own middleware, in the order in which it wraps: what stands outside of the SDK's retries, and inside. */
export interface OwnMiddleware {
  readonly outer: Middleware | undefined;
  readonly inner: Middleware | undefined;
}

/**
 * What rides on a command: the fence's translation of refusals outside, the store clock inside. The SDK's own
 * `resolve` sorts the whole stack each time, which would be a tenth of a schedule.
 */
export function middlewareOf(command: Any): OwnMiddleware {
  if (command instanceof PlainCommand) return command.middlewareStack;
  const outer: Middleware[] = [];
  const inner: Middleware[] = [];
  command.middlewareStack.applyToStack({
    add(middleware: Middleware, { step }: { readonly step: string }) {
      if (step === 'initialize') outer.push(middleware);
      else if (step === 'deserialize') inner.push(middleware);
      else throw new NotSimulated(`middleware of the step ${step}`);
    },
    addRelativeTo() {
      throw new NotSimulated('middleware that is placed by another');
    },
  });
  if (outer.length > 1 || inner.length > 1) throw new NotSimulated('middleware whose order matters');
  return { outer: outer[0], inner: inner[0] };
}
