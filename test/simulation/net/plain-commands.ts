import { NotSimulated } from '../store/attribute-values.js';
import type { Middleware } from './middleware.js';

/** Where a command's own middleware stands: outside of the SDK's retries, or inside. */
class PlainStack {
  outer: Middleware | undefined;
  inner: Middleware | undefined;

  /** The SDK's own step is the outermost, too, unless another is named. */
  add(middleware: Middleware, { step = 'initialize' }: { readonly step?: string } = {}): void {
    if (step === 'initialize' && !this.outer) this.outer = middleware;
    else if (step === 'deserialize' && !this.inner) this.inner = middleware;
    else throw new NotSimulated(`middleware of the step ${step}, or a second one of it`);
  }
}

/**
 * Stands in for the SDK's commands: an input, and what rides on it. The SDK's build a whole stack for each, of which the
 * simulated client asks nothing.
 */
export class PlainCommand<Input = unknown> {
  readonly input: Input;
  readonly middlewareStack = new PlainStack();

  constructor(input: Input) {
    this.input = input;
  }
}
