import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

/** What a file names in its imports and exports, of types and of what is loaded later, too: paths from the root. */
function importsOf(file: string, text: string): readonly string[] {
  const named = text.matchAll(/(?:^(?:import|export)\b[^;']*?\bfrom|\bimport\(|^import)\s*'(\.[^']+)\.js'/gm);
  return [...named].map(([, path]) => normalize(join(dirname(file), `${path}.ts`)));
}

/** Each circle once, as the way around it. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): readonly string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string) => {
    const at = way.indexOf(file);
    if (at >= 0) circles.push([...way.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    way.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    way.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return circles;
}

describe('files', () => {
  it.each(['lib', 'bin'])('of %s import each other in no circle, types included', (folder) => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path));
    const graph = new Map(
      files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]),
    );
    // That it finds what files import is part of what is shown.
    expect([...graph.values()].flat().length).toBeGreaterThan(files.length);
    expect(findCircles(graph).map((circle) => circle.join(' -> '))).toEqual([]);
  });

  it('that import each other are found, whichever way they do', () => {
    const texts = {
      'a.ts': "import type { B } from './b.js';",
      'b.ts': "export const later = () => import('./c.js');",
      'c.ts': "export { a } from './a.js';",
    };
    const graph = new Map(Object.entries(texts).map(([file, text]) => [file, importsOf(file, text)]));
    expect(findCircles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts', 'a.ts']]);
  });
});
