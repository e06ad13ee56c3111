/** `npm run manifest`: writes into `package.json` what follows from the list of sub-paths. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { manifestParts } from './package/sub-paths.js';

const path = fileURLToPath(new URL('../../package.json', import.meta.url));
const manifest = JSON.parse(await readFile(path, 'utf8'));
await writeFile(path, `${JSON.stringify({ ...manifest, ...manifestParts() }, null, 2)}\n`);
