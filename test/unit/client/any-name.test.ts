import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGroupName, checkLockName } from '../../../lib/client/lock-name.js';
import { requestGrant } from '../../../lib/lease/index.js';
import { checkProperty } from '../../support/property.js';
import { simulatedTable } from '../../support/simulated-table.js';

/** Characters of one to four bytes, controls and halves of pairs among them. */
const unit = fc.constantFrom(
  ...['a', 'A', ' ', '/', '#', ':', '.', '%', '\\', '\u0000', '\n', '\u001f', '\u007f', '\u0080', '\u009f'],
  ...[
    '\u00a0',
    'é',
    'e\u0301',
    '\u200b',
    '\u2028',
    '\ufeff',
    '\uffff',
    '\u{1f600}',
    '\u{10ffff}',
    '\ud800',
    '\udfff',
  ],
);
const short = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.array(unit, { maxLength: 6 }).map((parts) => parts.join('')),
);
/** Around the limit of 1,024 bytes. */
const long = fc
  .tuple(fc.constantFrom('a', 'é', '日', '\u{1f600}'), fc.integer({ min: 1_015, max: 1_030 }), short)
  .map(([character, bytes, rest]) => {
    const room = Math.max(0, bytes - Buffer.byteLength(rest));
    const times = Math.floor(room / Buffer.byteLength(character));
    return character.repeat(times) + 'b'.repeat(room - times * Buffer.byteLength(character)) + rest;
  });
const anyText = fc.oneof(short, long);

/** What may be a name, told by its bytes and units. */
function isName(text: string): boolean {
  const bytes = Buffer.from(text);
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  const isControl = (value: number) => value < 0x20 || (value >= 0x7f && value <= 0x9f);
  return bytes.length > 0 && bytes.length <= 1_024 && bytes.toString() === text && !units.some(isControl);
}

function findRefusal(check: (name: string) => void, name: unknown): Error | undefined {
  try {
    check(name as string);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

describe('any name', () => {
  it('is taken if it is 1 to 1,024 bytes of UTF-8 without controls, and refused in a short line otherwise', () => {
    checkProperty(
      fc.property(anyText, (name) => {
        const refusal = findRefusal(checkLockName, name);
        expect(refusal === undefined).toBe(isName(name));
        expect(findRefusal(checkGroupName, name) === undefined).toBe(isName(name));
        if (!refusal) return;
        expect(refusal.name).toBe('UsageError');
        if (refusal.message.length > 200) throw new Error(`${refusal.message.length} characters`);
      }),
    );
  });

  it('that is no text is refused in plain words, whatever it is', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withNullPrototype: true,
      withMap: true,
    });
    const noText = anything.filter((value) => typeof value !== 'string');
    checkProperty(
      fc.property(
        fc.oneof(
          noText,
          fc.constantFrom(Symbol('s'), () => 1, ring()),
        ),
        (name) => {
          const refusal = findRefusal(checkLockName, name);
          expect(refusal).toMatchObject({ name: 'UsageError' });
          expect(refusal!.message).toMatch(
            /^Lock name: must be 1 to 1024 bytes of well-formed UTF-8 without control characters, got /,
          );
        },
      ),
    );
  });

  it('C39 stands for a lock of its own: two that differ are two items, under the very bytes that were given', async () => {
    const { context, get } = simulatedTable();
    let calls = 0;
    const names = new Set<string>();
    const grant = (name: string) =>
      requestGrant(context, { name, leaseId: `lease-${++calls}`, owner: 'o', leaseMs: 3_000 });
    await checkProperty(
      fc.asyncProperty(anyText.filter(isName), async (name) => {
        const isNew = !names.has(name);
        names.add(name);
        const { kind } = await grant(name);
        expect(kind).toBe(isNew ? 'granted' : 'held');
        expect((await get(name))?.name).toEqual({ S: name });
      }),
    );
    expect(names.size).toBeGreaterThan(10);
  });
});

/** An object that JSON can't tell. */
function ring(): object {
  const object: { self?: object } = {};
  object.self = object;
  return object;
}
