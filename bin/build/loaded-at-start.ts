import type { Metafile } from 'esbuild';

/** The output files that are loaded along with some entries: they, and what they import statically, and so on. */
export function loadedAtStart({ outputs }: Metafile, ...entries: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const { path: imported, kind } of outputs[path].imports) {
      if (kind === 'import-statement') visit(imported);
    }
  };
  for (const entry of entries) visit(entry);
  return [...found];
}
