/** A signal that follows others, and the means to let go of them. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts it from here. */
  readonly abort: (reason: unknown) => void;
  /** Removes the listeners. Call it always. */
  readonly clear: () => void;
}

/** A signal that aborts with the first of its parents, with that one's reason. Leaves no listener behind. */
export function linkedSignal(...parents: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const abort = (reason: unknown) => controller.abort(reason);
  const listeners = parents
    .filter((parent) => parent !== undefined)
    .map((parent) => {
      const onAbort = () => abort(parent.reason);
      if (parent.aborted) onAbort();
      else parent.addEventListener('abort', onAbort, { once: true });
      return () => parent.removeEventListener('abort', onAbort);
    });
  return {
    signal: controller.signal,
    abort,
    clear: () => {
      for (const remove of listeners) remove();
    },
  };
}
