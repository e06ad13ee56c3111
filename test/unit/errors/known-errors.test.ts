import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../lib/errors/errors.js';
import { findKind, knownErrors, toFailure, treatments } from '../../../lib/errors/known-errors.js';
import { toTransportError } from '../../../lib/service-client/service-answer.js';
import { toStoreError } from '../../../lib/table/store-errors.js';

const rows = knownErrors.flatMap(([kind, source, names]) =>
  names.split(' ').map((name) => ({ kind, source, name })),
);

/** As it is raised: Node.js has the name in `code`, the services and the SDK in `name`. */
function raised({ source, name }: (typeof rows)[number], $metadata?: object): Error {
  const own = source === 'Node.js' ? { code: name } : { name };
  return Object.assign(new Error('as it is raised'), own, $metadata && { $metadata });
}

describe('errors of the SDK, the services and the credentials', () => {
  it('no name stands twice', () => {
    const names = rows.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each(rows)('$source raises $name: $kind, for the table, the service and S3 alike', (row) => {
    const { kind } = row;
    const { retryable, mayHaveApplied, words, advice } = treatments[kind];
    const what = { what: 'Bucket "b"' };
    for (const failure of [
      toStoreError(raised(row), 'leases', 'n'),
      toTransportError(raised(row), 'leasehold', 'n', 'write', false),
      toFailure(raised(row), what),
    ]) {
      expect(failure).toMatchObject({ name: 'StoreError', retryable, mayHaveApplied });
      expect((failure.cause as Error).message).toBe('as it is raised');
    }
    const { message } = toFailure(raised(row), what);
    expect(message).toContain(`Bucket "b" ${words}: as it is raised`);
    if (advice) expect(message).toContain(advice);
    expect(toFailure(raised(row), { ...what, kind: 'read' })).toMatchObject({ mayHaveApplied: false });
    // An earlier attempt got no answer: whatever this one says, that one may have been applied.
    expect(toFailure(raised(row, { attempts: 2 }), what)).toMatchObject({ mayHaveApplied: true });
    const before = toFailure(raised(row), { ...what, answeredBefore: true });
    expect(before).toMatchObject({ retryable: retryable || kind === 'credentials' });
  });

  it.each([
    [429, 'throttled'],
    [403, 'permission'],
    [400, 'refused'],
    [404, 'refused'],
    [408, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [301, 'refused'],
  ])('a name that is in no row goes by its status: %s is %s', (httpStatusCode, kind) => {
    expect(findKind(Object.assign(new Error(), { name: 'New', $metadata: { httpStatusCode } }))).toBe(kind);
  });

  it('D14 an error without an answer and without a try fails at once; one that was tried may pass', () => {
    const region = toFailure(new Error('Region is missing'), { what: 'Table "t"' });
    expect(region).toMatchObject({ retryable: false });
    expect(region.message).toContain('AWS_REGION');
    expect(toFailure({ not: 'an error' }, { what: 'Table "t"' })).toMatchObject({ retryable: false });
    const tried = Object.assign(new Error('socket'), { $metadata: { attempts: 1 } });
    expect(toFailure(tried, { what: 'Table "t"' })).toMatchObject({ retryable: true, mayHaveApplied: true });
  });

  it('D38 a missing index and an item that is too large have their own words', () => {
    const invalid = (message: string) =>
      toStoreError(Object.assign(new Error(message), { name: 'ValidationException' }), 'leases').message;
    expect(invalid('The table does not have the specified index: byGroup')).toContain(
      'lacks the index "byGroup"',
    );
    expect(invalid('Item size has exceeded the maximum allowed size')).toContain('400 KB is the most');
    expect(invalid('The provided key element does not match the schema')).toContain('partition key "name"');
  });

  it('our own errors come back unchanged', () => {
    const own = new StoreError('x', 'n', { retryable: true, mayHaveApplied: false });
    expect(toStoreError(own, 'leases')).toBe(own);
  });
});
