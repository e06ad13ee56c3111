import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorsTable } from '../../support/docs/errors-table.js';

it('docs/reference/errors.md has the rows of the table in the code', () => {
  const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
  expect(page).toContain(errorsTable().join('\n').trim());
});
