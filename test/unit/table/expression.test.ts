import { describe, expect, it } from 'vitest';
import {
  all,
  allOf,
  any,
  anyOf,
  type Condition,
  formOf,
  formsBy,
  merged,
  namesIn,
  toExpression,
  withChange,
} from '../../../lib/table/index.js';

const part = (text: string, values?: Condition['values']): Condition => ({ text, values });

describe('conditions', () => {
  it('take parentheses only where they are needed: AND binds tighter than OR', () => {
    expect(all(part('a'), part('b')).text).toBe('a AND b');
    expect(any(part('a'), part('b')).text).toBe('a OR b');
    expect(all(any(part('a'), part('b')), part('c')).text).toBe('(a OR b) AND c');
    expect(any(all(part('a'), part('b')), part('c')).text).toBe('a AND b OR c');
    expect(all(any(part('a'), all(part('b'), any(part('c'), part('d'))))).text).toBe('a OR b AND (c OR d)');
  });

  it('never double the parentheses of a caller, which DynamoDB refuses', () => {
    expect(all(part('(a OR b)'), part('c')).text).toBe('(a OR b) AND c');
    expect(all(part('(a) or (b)'), part('c')).text).toBe('((a) or (b)) AND c');
    expect(all(part('size(#a) > :one OR b'), part('c')).text).toBe('(size(#a) > :one OR b) AND c');
  });

  it('leave out what is undefined and keep the values of all parts', () => {
    const joined = all(undefined, part('#a = :a', { ':a': 1 }), undefined, part('#b = :b', { ':b': 2 }));
    expect(joined).toEqual({ text: '#a = :a AND #b = :b', values: { ':a': 1, ':b': 2 } });
    expect(all(undefined, part('a')).text).toBe('a');
  });

  it('name every attribute they speak of', () => {
    expect(namesIn('#a = :a AND #b_2 < :b', undefined)).toEqual({ '#a': 'a', '#b_2': 'b_2' });
  });
});

describe('changes', () => {
  it('are merged so that of two values for one attribute the second counts, and both conditions must hold', () => {
    const first = { set: { a: 1, b: 1 }, remove: ['c', 'd'], condition: part('x OR y') };
    const second = { compute: { b: part('#b + :one', { ':one': 1 }) }, set: { c: 3 }, condition: part('z') };
    const { set, compute, remove, condition } = merged(first, second);
    expect(set).toEqual({ a: 1, c: 3 });
    expect(Object.keys(compute ?? {})).toEqual(['b']);
    expect(remove).toEqual(['d']);
    expect(condition.text).toBe('(x OR y) AND z');
  });

  it('are merged where only one of them writes, removes or demands something', () => {
    const condition = part('x', {});
    expect(merged({ set: { a: 1 }, condition }, { remove: ['b'] })).toMatchObject({
      ...{ set: { a: 1 }, remove: ['b'], condition },
    });
    expect(merged({ remove: ['b'], condition }, { set: { a: 1 } })).toMatchObject({
      ...{ set: { a: 1 }, remove: ['b'], condition },
    });
    expect(merged({ remove: ['b'] }, { condition })).toEqual({ remove: ['b'], condition });
    expect(merged({ set: { a: 1 } }, { set: { b: 2 } }).condition).toBeUndefined();
    const first = { set: { a: 1 }, condition };
    expect(merged(first, undefined)).toBe(first);
  });

  it('keep a written value apart from a condition’s value of the same name', () => {
    const { update, condition, values } = toExpression({
      set: { leaseId: 'new' },
      condition: part('#leaseId = :leaseId', { ':leaseId': 'old' }),
    });
    expect(update).toBe('SET #leaseId = :set_leaseId');
    expect(condition).toBe('#leaseId = :leaseId');
    expect(values).toEqual({ ':set_leaseId': 'new', ':leaseId': 'old' });
  });

  it('leave out what is undefined', () => {
    expect(toExpression({ set: { a: undefined, b: null }, remove: ['c'] })).toMatchObject({
      update: 'SET #b = :set_b REMOVE #c',
      values: { ':set_b': null },
    });
  });
});

describe('forms', () => {
  const parts = {
    set: ['leaseId', 'ttl'],
    compute: { renewals: '#renewals + :one' },
    remove: ['expiresAt', 'owner'],
    condition: allOf('#leaseId <> :leaseId', anyOf('#version < :token', 'attribute_not_exists(#name)')),
  };
  const values = { leaseId: 'a', ttl: 5, one: 1, token: 7, unused: 9 };

  it('say what their parts say, with short placeholders, each value once', () => {
    const { update, condition, names, values: placeholders } = formOf(parts);
    const long = (text: string) =>
      placeholders
        .reduce((whole, [name, short]) => whole.replaceAll(short, `:${name}`), text)
        .replace(/#\w+/g, (short) => `#${names[short]}`);
    expect(update).toMatch(/^SET leaseId=:a,#b=:c,/);
    expect(long(update)).toBe(
      'SET leaseId=:leaseId,#ttl=:ttl,renewals=renewals + :one REMOVE expiresAt,#owner',
    );
    expect(long(condition)).toBe('leaseId<>:leaseId AND (version<:token OR attribute_not_exists(#name))');
    expect(new Set(placeholders.map(([, short]) => short)).size).toBe(4);
  });

  it('are one for each combination of traits, made once', () => {
    const forms = formsBy((a: boolean, b: boolean) => ({
      set: [...(a ? ['a'] : []), ...(b ? ['b'] : [])],
      condition: 'attribute_exists(#name)',
    }));
    expect(forms(true, false)).toBe(forms(true, false));
    expect(forms(true, false).update).toBe('SET #a=:b');
    expect(forms(false, true).parts.set).toEqual(['b']);
  });

  it('take a change of the caller’s on, under both conditions, with the values that are used alone', () => {
    const change = { set: { page: 1, expiresAt: 3 }, condition: part('#page < :page', { ':page': 1 }) };
    const both = withChange({ form: formOf(parts), values, change, wantsOld: true });
    const written = toExpression(both);
    expect(both.wantsOld).toBe(true);
    expect(written.condition).toBe(
      '(#leaseId <> :leaseId AND (#version < :token OR attribute_not_exists(#name))) AND #page < :page',
    );
    expect(written.update).toContain('#expiresAt = :set_expiresAt');
    expect(written.update).toContain('REMOVE #owner');
    expect(Object.keys(written.values).sort()).toEqual(
      [
        ':leaseId',
        ':one',
        ':page',
        ':set_expiresAt',
        ':set_leaseId',
        ':set_page',
        ':set_ttl',
        ':token',
      ].sort(),
    );
  });
});
