import { expect, it } from 'vitest';
import { startJson } from '../../support/start/start-process.js';
import { names, temporaryFiles } from '../../support/start/temporary-files.js';

it('npm start with a key on every cut', async () => {
  await using files = await temporaryFiles();
  const flat = new Set([...names(3_000)].map((name) => name.slice('folder-0/'.length)));
  files.add(flat);
  const args = [
    '--dir',
    files.directory,
    '--page-size',
    '50',
    '--seats',
    '3',
    '--slices',
    '12',
    '--no-faults',
  ];
  // A file on a cut may move the cuts of the next plan, until none moves any more.
  for (let round = 0; ; round++) {
    const { exitCode, json } = await startJson(args);
    expect(exitCode).toBe(0);
    expect(json).toMatchObject({ complete: true, objects: flat.size, independentCount: flat.size });
    const cuts = json.sliceResults.map(({ hi }) => hi).filter((hi) => hi !== undefined);
    expect(cuts.length).toBeGreaterThan(2);
    const missing = cuts.filter((cut) => !flat.has(cut));
    if (missing.length === 0) break;
    expect(round).toBeLessThan(5);
    files.add(missing);
    for (const cut of missing) flat.add(cut);
  }
});
