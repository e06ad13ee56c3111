import type { Metafile } from 'esbuild';

/** The output files that are loaded along with some entries: they, and what they import statically, and so on. */
export function loadedAtStart(metafile: Metafile, ...entries: readonly string[]): readonly string[] {
  return reached(metafile, entries, (kind) => kind === 'import-statement');
}

/** The output files that some entries ever load. */
export function loadedEver(metafile: Metafile, ...entries: readonly string[]): readonly string[] {
  return reached(metafile, entries, () => true);
}

function reached(
  { outputs }: Metafile,
  entries: readonly string[],
  follows: (kind: string) => boolean,
): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path) || !outputs[path]) return;
    found.add(path);
    for (const { path: imported, kind } of outputs[path].imports) {
      if (follows(kind)) visit(imported);
    }
  };
  for (const entry of entries) visit(entry);
  return [...found];
}
