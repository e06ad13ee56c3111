import type { Metafile } from 'esbuild';

/** The output files that are loaded along with an entry: it, and what it imports statically, and so on. */
export function loadedAtStart({ outputs }: Metafile, entry: string): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const { path: imported, kind } of outputs[path].imports) {
      if (kind === 'import-statement') visit(imported);
    }
  };
  visit(entry);
  return [...found];
}
