const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `cleanUp` when this process ends, by itself or by a signal. A stopped child does not notice that its
 * parent is gone, so it must be killed from here, synchronously. When nobody else listens to the signal, its
 * usual effect (the process ends) is kept.
 *
 * @param cleanUp must be synchronous and must not throw
 * @returns takes the listeners away again
 */
export function onParentExit(cleanUp: () => void): () => void {
  const listeners = endings.map((signal) => {
    const listener = () => {
      cleanUp();
      if (process.listenerCount(signal) > 1) return;
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    };
    return [signal, listener] as const;
  });
  process.on('exit', cleanUp);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    process.removeListener('exit', cleanUp);
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}
