import { expect, it } from 'vitest';
import { play } from '../../simulation/run/play.js';

// Each broke a rule before the code was mended. A change of the simulator deals them other schedules; the mutants then
// still show that what they found would be found again.
it('an acquire that finds its own earlier grant at its end adopts it, and can give it back', async () => {
  expect((await play('lock', 88_648)).violations).toEqual([]);
});

it('a seat that was frozen at its start does not evict its own later instance', async () => {
  expect((await play('scan', 9_739)).violations).toEqual([]);
});

it.each([23])('I5 late duplicates do not wind a checkpoint back (seed %i)', async (seed) => {
  expect((await play('lock', seed)).violations).toEqual([]);
});
