import { fileURLToPath } from 'node:url';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { failure, successes } from '../../../lib/service/answers.js';
import { requests } from '../../../lib/service/requests.js';

/** Where the schema stands. */
export const schemaPath = fileURLToPath(
  new URL('../../../docs/reference/json-interface.schema.json', import.meta.url),
);

/**
 * The JSON Schema of requests and answers, made of the very schemas that the service checks requests by. What JSON
 * Schema can't say (bytes in UTF-8, control characters) the descriptions do.
 */
export function schemaText(): string {
  const operations = Object.keys(requests) as (keyof typeof requests)[];
  const refs = (suffix: string) => operations.map((operation) => ref(`${operation}${suffix}`));
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Leasehold lock service',
    description: 'A request is one JSON object, and so is its answer. See json-interface.md.',
    $ref: '#/$defs/request',
    $defs: {
      request: { oneOf: refs('Request') },
      answer: { oneOf: [...refs('Answer'), ref('failure')] },
      ...Object.fromEntries(operations.map((name) => [`${name}Request`, plain(requests[name])])),
      ...Object.fromEntries(operations.map((name) => [`${name}Answer`, plain(successes[name])])),
      failure: plain(failure),
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function ref(name: string) {
  return { $ref: `#/$defs/${name}` };
}

function plain(schema: GenericSchema): object {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: 'ignore', target: 'draft-2020-12' });
  return rest;
}
