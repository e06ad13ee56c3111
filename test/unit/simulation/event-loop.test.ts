import { expect, it } from 'vitest';
import { EventLoop } from '../../simulation/world/event-loop.js';

it('lets everything settle that a promise can settle before the next event, however long the chain', async () => {
  const loop = new EventLoop(0);
  const seen: string[] = [];
  loop.after(1, () => {
    void (async () => {
      for (let turn = 0; turn < 1000; turn++) await null;
      seen.push('settled');
    })();
  });
  loop.after(1, () => seen.push('next'));
  await loop.run(10);
  expect(seen).toEqual(['settled', 'next']);
  expect(loop.nowMs).toBe(10);
});

it('runs events in the order of time, those of one moment in the order in which they were asked for', async () => {
  const loop = new EventLoop(0);
  const seen: number[] = [];
  for (const [delayMs, label] of [
    [5, 1],
    [1, 2],
    [5, 3],
    [0, 4],
  ] as const) {
    loop.after(delayMs, () => seen.push(label));
  }
  const cancelled = loop.after(2, () => seen.push(99));
  cancelled.run = undefined;
  await loop.run(10);
  expect(seen).toEqual([4, 2, 1, 3]);
});

it('is over when it is told so', async () => {
  const loop = new EventLoop(0);
  let events = 0;
  const again = () => {
    events += 1;
    loop.after(1, again);
  };
  again();
  await loop.run(Number.POSITIVE_INFINITY, () => events === 7);
  expect(events).toBe(7);
});
