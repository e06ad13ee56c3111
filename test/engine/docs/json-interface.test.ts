import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { schemaPath, schemaText } from '../../../bin/build/json-schema/schema-text.js';
import { failure, successes } from '../../../lib/service/answers.js';
import { type Operation, requests } from '../../../lib/service/requests.js';
import { handlerOver } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

/** A block of JSON in the page. */
interface Block {
  readonly kind: 'request' | 'operators request' | 'answer';
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly json: any;
}

const page = await readFile(new URL('../../../docs/reference/json-interface.md', import.meta.url), 'utf8');
const blocks: readonly Block[] = [...page.matchAll(/^```json (.+)\n([\s\S]*?)^```$/gm)].map((match) => ({
  kind: match[1] as Block['kind'],
  json: JSON.parse(match[2]!),
}));

/** What differs from run to run is compared by its type only: the time, and what is counted from it. */
const varying = ['acquiredAt', 'expiresAt', 'completedAt', 'remainingMs', 'token', 'earliest', 'latest'];

function comparable(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (varying.includes(key) && value !== 0) return typeof value;
    return key === 'message' ? value.replace(/\d[\d\-:.TZ]{3,}/g, 'N') : value;
  });
}

describe('the page on the JSON interface', () => {
  const stage = useStage();

  it('shows requests with the answers that the service gives', async () => {
    const callers = handlerOver(stage.it.actor());
    const operators = handlerOver(stage.it.actor(), { operations: 'operate' });
    let token = 1;
    let completedAt = 1;
    let shown = 0;
    let answer: unknown;
    for (const { kind, json } of blocks) {
      if (kind === 'answer') {
        expect(comparable(answer)).toEqual(comparable(json));
        shown += 1;
        continue;
      }
      const request = {
        ...json,
        // Tokens and times are those of this run.
        ...('token' in json && { token }),
        ...('completedAt' in json && { completedAt }),
        ...('expiresAt' in json && { expiresAt: Date.now() + 60_000 }),
      };
      const given = await (kind === 'request' ? callers : operators)(request);
      token = given.granted?.token ?? token;
      completedAt = given.error?.completedAt ?? completedAt;
      answer = given;
    }
    expect(shown).toBeGreaterThanOrEqual(10);
  });

  it('shows an example of each operation, and names each error', () => {
    const shown = blocks.map(({ json }) => json.operation).filter(Boolean);
    const operations = Object.keys(requests).filter((operation) => operation !== 'resume');
    expect([...new Set(shown)].sort()).toEqual(operations.sort());
    expect(page).toContain('## resume');
    for (const { name } of Object.values(failure.entries.error.options).map(({ entries }) => ({
      name: entries.name.literal,
    }))) {
      expect(page).toContain(`| \`${name}\` |`);
    }
  });

  it('shows requests and answers that the schema describes, without a field more', () => {
    let operation: Operation = 'acquire';
    for (const { kind, json } of blocks) {
      if (kind !== 'answer') operation = json.operation;
      const schema = kind !== 'answer' ? requests[operation] : json.ok ? successes[operation] : failure;
      // Undeclared fields are stripped.
      expect(v.parse(schema as v.GenericSchema, json)).toEqual(json);
    }
  });

  it('has a schema that is made of the service’s own: npm run schema', async () => {
    expect(await readFile(schemaPath, 'utf8')).toBe(schemaText());
  });
});
