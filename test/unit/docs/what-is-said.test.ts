import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { defaults } from '../../../lib/index.js';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('D49 the README names those who learn of a loss at their next renewal', async () => {
  const text = (await read('README.md')).replace(/\s+/g, ' ');
  for (const exception of [
    'an operator breaks',
    'its own successor supersedes',
    'two that resume one hand-over',
  ]) {
    expect(text).toContain(exception);
  }
});

it('D50 the page about waiting says the pace that the code has', async () => {
  const text = (await read('docs/guides/waiting.md')).replace(/\s+/g, ' ');
  expect(text).toContain(`at least \`pollFloorMs\` apart (${defaults.pollFloorMs} ms)`);
  expect(text).toContain(`at most \`pollCeilingMs\` (${defaults.pollCeilingMs / 1_000} s)`);
});
