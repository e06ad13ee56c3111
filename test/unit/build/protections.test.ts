import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { protections } from '../../mutants/protections/index.js';

const root = join(import.meta.dirname, '..', '..', '..');
const toText = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the protections that can be taken out', () => {
  it('each have an id of their own', () => {
    const ids = protections.map(({ id }) => id);
    expect([...new Set(ids)]).toEqual(ids);
  });

  it.each(protections)(
    '$id stands in its file, once, and its test is in a file that there is',
    (protection) => {
      expect(toText(protection.file).split(protection.find)).toHaveLength(2);
      expect(toText(protection.test.file)).toContain('it');
    },
  );
});
