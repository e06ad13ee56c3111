import { expect, it, onTestFinished } from 'vitest';
import { publish } from '../../../../lib/events/events.js';
import { listen } from '../../../../lib/lambda/observability/library-events.js';
import { sampleEvents } from '../../../support/sample-events.js';

it('a listener that throws disturbs neither the others nor the process', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  onTestFinished(() => {
    process.off('uncaughtException', note);
  });
  const heard: string[] = [];
  listen({
    held: () => {
      heard.push('first');
      throw new Error('no room for a line');
    },
  });
  listen({ held: ({ name }) => heard.push(name) });
  // Node would throw a listener's error in the next tick, where nobody can catch it.
  publish('held', sampleEvents.held);
  await new Promise(setImmediate);
  expect(heard).toEqual(['first', 'n']);
  expect(uncaught).toEqual([]);
});
