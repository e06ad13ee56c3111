/**
 * Waits for work that was told to end: without a limit as long as nobody wants it to, and then for a while.
 *
 * @returns whether it ended; `false`: it was told to and did not in time
 * @throws what the work throws
 */
export async function endsWithin(
  work: Promise<unknown>,
  told: AbortSignal,
  limitMs: number,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let startTimer = (): void => {};
  const outOfTime = new Promise<false>((resolve) => {
    startTimer = () => {
      timer = setTimeout(() => resolve(false), limitMs);
    };
  });
  if (told.aborted) startTimer();
  else told.addEventListener('abort', startTimer, { once: true });
  try {
    return await Promise.race([work.then(() => true), outOfTime]);
  } finally {
    told.removeEventListener('abort', startTimer);
    clearTimeout(timer);
  }
}
