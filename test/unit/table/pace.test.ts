import { expect, it } from 'vitest';
import { Pace } from '../../../lib/table/sweep/sweep-leases.js';
import { VirtualTime } from '../../support/virtual-time.js';

it('hands out turns evenly, however many ask at once, and saves none up over a pause', async () => {
  const time = new VirtualTime();
  const startMs = time.monotonicMs();
  const pace = new Pace(time, 20);
  const turns: number[] = [];
  const ask = () => pace.turn().then(() => void turns.push(time.monotonicMs() - startMs));
  const asked = Array.from({ length: 5 }, ask);
  await time.until(Promise.all(asked));
  expect(turns).toEqual([0, 50, 100, 150, 200]);

  await time.pass(10_000);
  turns.length = 0;
  const pausedMs = time.monotonicMs() - startMs;
  await time.until(Promise.all(Array.from({ length: 3 }, ask)));
  expect(turns).toEqual([pausedMs, pausedMs + 50, pausedMs + 100]);
});

it('ends a wait with the reason of its signal', async () => {
  const time = new VirtualTime();
  const pace = new Pace(time, 1);
  const controller = new AbortController();
  await pace.turn(controller.signal);
  const waiting = pace.turn(controller.signal);
  controller.abort(new Error('the lease is lost'));
  await expect(waiting).rejects.toThrow('the lease is lost');
});
