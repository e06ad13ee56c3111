import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Writes which packages are bundled into ours, and their licences, each text once. */
export async function writeLicences(path: string, bundles: readonly Metafile[]): Promise<void> {
  const folders = new Set(
    bundles.flatMap(({ outputs }) =>
      Object.values(outputs).flatMap(({ inputs }) =>
        Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => {
          const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
          return folder && bytesInOutput > 0 ? [folder] : [];
        }),
      ),
    ),
  );
  const users = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const file = (await readdir(join(root, folder))).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? (await readFile(join(root, folder, file), 'utf8')).trim() : `Licence: ${license}`;
    users.set(text, [...(users.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...users].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  await writeFile(path, `Bundled into this package:\n\n${parts.join(`\n${'-'.repeat(78)}\n\n`)}`);
}
