/** A signal that never aborts, and how many listen to it: on one that lives long they would pile up. */
export function listenedSignal() {
  let listeners = 0;
  const signal = {
    aborted: false,
    throwIfAborted: () => {},
    addEventListener: () => {
      listeners += 1;
    },
    removeEventListener: () => {
      listeners -= 1;
    },
  } as unknown as AbortSignal;
  return { signal, listeners: () => listeners };
}
