/** `npm run schema`: writes the JSON Schema of the lock service's interface into `docs/`. */
import { writeFile } from 'node:fs/promises';
import { schemaPath, schemaText } from './json-schema/schema-text.js';

await writeFile(schemaPath, schemaText());
