import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { changesOf } from '../../mutants/removal.js';
import { removals } from '../../mutants/removals/index.js';
import { toChanged } from '../../support/source-change.js';
import { bearsTitle } from '../../support/test-titles.js';

const root = join(import.meta.dirname, '..', '..', '..');

describe('the protections that can be taken out', () => {
  it('each have a name of their own and somebody who notices', () => {
    const names = removals.map(({ name }) => name);
    expect([...new Set(names)]).toEqual(names);
    expect(removals.filter(({ noticedBy }) => noticedBy.length === 0)).toEqual([]);
  });

  it('are each another change', () => {
    const changes = removals.map((removal) => JSON.stringify(changesOf(removal)));
    expect([...new Set(changes)]).toEqual(changes);
  });

  it('leave a program: whatever does not compile would be noticed by any test', async () => {
    const broken: string[] = [];
    await Promise.all(
      removals.map(async (removal) => {
        const changes = changesOf(removal);
        for (const file of new Set(changes.map((change) => change.file))) {
          const source = readFileSync(join(root, file), 'utf8');
          const changed = toChanged(
            source,
            changes.filter((change) => change.file === file),
          );
          if (file.endsWith('.ts'))
            await transform(changed, { loader: 'ts' }).catch(() => broken.push(removal.name));
        }
      }),
    );
    expect(broken).toEqual([]);
  });

  it.each(removals)('$name: its text stands in its file, once, and its tests are there', (removal) => {
    const changes = changesOf(removal);
    for (const file of new Set(changes.map((change) => change.file))) {
      const source = readFileSync(join(root, file), 'utf8');
      expect(
        toChanged(
          source,
          changes.filter((change) => change.file === file),
        ),
      ).not.toBe(source);
    }
    for (const witness of removal.noticedBy) {
      if ('suite' in witness) continue;
      expect(bearsTitle(join(root, witness.file), witness.title), witness.title).toBe(true);
    }
  });
});
