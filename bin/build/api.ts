/** `npm run api`: writes what each sub-path exports into `docs/reference/api`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { publicNames, reportPath, reportText } from './package/api-report.js';

for (const [name, names] of publicNames()) {
  const path = reportPath(name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, reportText(name, names));
}
