import { describe, expect, it } from 'vitest';
import { EventFields, parseObject } from '../../../../lib/scan/handlers/event-fields.js';

describe('the fields of an event', () => {
  const fields = new EventFields('event', { text: 'a', count: 3, texts: ['a', 'b'], nothing: null });

  it('are read when they are right', () => {
    expect(fields.text('text')).toBe('a');
    expect(fields.count('count', 1, 3)).toBe(3);
    expect(fields.optionalTexts('texts')).toEqual(['a', 'b']);
    expect(fields.optionalText('absent')).toBeUndefined();
    expect(fields.optionalText('nothing')).toBeUndefined();
    expect(fields.optionalCount('nothing', 1, 2)).toBeUndefined();
  });

  it.each([
    [() => fields.text('absent'), 'absent: must be a string that is not empty, got nothing'],
    [() => fields.text('count'), 'count: must be a string that is not empty, got 3'],
    [() => fields.optionalText('count'), 'count: must be a string, got 3'],
    [() => fields.count('count', 4, 9), 'count: must be a whole number from 4 to 9, got 3'],
    [() => fields.optionalCount('text', 1, 9), 'text: must be a whole number from 1 to 9, got "a"'],
    [() => fields.optionalTexts('text'), 'text: must be a list of strings, got "a"'],
    [() => parseObject('input', [1]), 'input: must be an object, got [1]'],
  ])('that are wrong are a UsageError with field, limit and value', (read, message) => {
    expect(read).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });

  it('are of an object; what is absent has none', () => {
    const given = { a: 1 };
    expect(parseObject('input', given)).toBe(given);
    expect([parseObject('input', undefined), parseObject('input', null)]).toEqual([{}, {}]);
    for (const wrong of ['x', 7, true])
      expect(() => parseObject('input', wrong)).toThrow(/input: must be an object/);
  });
});
