import { describe, expect, it } from 'vitest';
import { seatEnds, verdictAnswer } from '../../../../lib/scan/handlers/verdict-answer.js';
import type { ScanVerdict } from '../../../../lib/scan/index.js';

const report = {
  slices: 3,
  unfinished: 0,
  objects: 10,
  bytes: 100,
  pages: 3,
  takeovers: 0,
  listRequests: 4,
  failureCount: 0,
  failures: [],
  quarantined: [],
  tiles: true,
  result: { objects: 10 },
};

const verdict = (over: object, reportOver: object = {}) =>
  ({
    run: 'r',
    status: 'complete',
    round: 1,
    report: { ...report, ...reportOver },
    ...over,
  }) as unknown as ScanVerdict;

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the answer of verify', () => {
  it('has an error and a reason always, as the paths of a Fail state must point somewhere', () => {
    expect(verdictAnswer(verdict({}))).toMatchObject({
      error: '',
      reason: 'every slice is done and the slices tile',
    });
    expect(verdictAnswer(verdict({ status: 'failed', reason: 'slice c1 is quarantined' }))).toMatchObject({
      error: 'ScanFailed',
      reason: 'slice c1 is quarantined',
    });
    const failures = { failureCount: 2, failures: [{ key: 'a', error: 'no' }] };
    expect(
      verdictAnswer(verdict({ status: 'completed-with-failures', reason: '2 objects failed' }, failures)),
    ).toMatchObject({
      error: 'CompletedWithFailures',
      reason: '2 objects failed; the first: a: no',
    });
    expect(verdictAnswer(verdict({ status: 'more', reason: '2 are not done' })).error).toBe('ScanUnfinished');
  });

  it('stays as it is while it fits', () => {
    expect(verdictAnswer(verdict({})).report).toEqual(report);
    expect(verdictAnswer(verdict({})).leftOut).toEqual([]);
  });

  it('loses failures first, then the result, and says so', () => {
    const failures = Array.from({ length: 100 }, (_, i) => ({
      key: `${i}/${'ü'.repeat(500)}`,
      error: 'x'.repeat(500),
    }));
    const many = verdictAnswer(verdict({}, { failures, failureCount: 100 }));
    expect(many.report.failures).toHaveLength(10);
    expect(many.report.failureCount).toBe(100);
    expect(many.leftOut).toEqual(['failures', 'quarantined']);
    expect(many.report.result).toEqual(report.result);
    const huge = verdictAnswer(verdict({}, { result: 'x'.repeat(300_000) }));
    expect(huge.report.result).toBeNull();
    expect(huge.leftOut).toContain('result');
    expect(huge.report).toMatchObject({ objects: 10, pages: 3, tiles: true });
    // What the state machine goes by stays.
    for (const answer of [many, huge]) {
      expect(answer).toMatchObject({
        run: 'r',
        status: 'complete',
        round: 1,
        error: '',
        reason: expect.any(String),
      });
    }
    for (const answer of [many, huge]) expect(bytesOf(answer)).toBeLessThan(100_000);
  });

  it('cuts a reason that is too long', () => {
    expect(verdictAnswer(verdict({ status: 'failed', reason: 'x'.repeat(50_000) })).reason).toHaveLength(
      2_000,
    );
  });

  it('is an error of the first seat that no further round mends, while slices are left, and tells of ten of each kind', () => {
    const more = verdict({ status: 'more', reason: '2 are not done' });
    const seats = Array.from({ length: 12 }, (_, seat) => ({ seat, failed: `F${seat}` }));
    const gone = Array.from({ length: 12 }, (_, i) => ({ seat: 12 + i, gaveUp: `G${i}` }));
    const answer = verdictAnswer(more, [{ seat: 99 }, ...gone, ...seats]);
    expect(answer).toMatchObject({ status: 'failed', error: 'F0' });
    expect(answer.reason).toBe(
      [
        '2 are not done',
        ...seats.slice(0, 10).map(({ seat, failed }) => `seat ${seat} failed: ${failed}`),
        ...gone.slice(0, 10).map(({ seat, gaveUp }) => `seat ${seat} gave up: ${gaveUp}`),
      ].join('; '),
    );
    // Those that gave up come again.
    expect(verdictAnswer(more, gone)).toMatchObject({ status: 'more', error: 'ScanUnfinished' });
    // All is done: how seats ended does not matter.
    expect(verdictAnswer(verdict({}), seats)).toMatchObject({
      status: 'complete',
      error: '',
      reason: 'every slice is done and the slices tile',
    });
  });
});

describe('how seats ended', () => {
  it('is what can be read of it', () => {
    const [gaveUp, failed] = ['StoreError', 'UsageError'];
    expect(
      seatEnds([
        { seat: 0 },
        { seat: 1, gaveUp },
        { seat: 2, failed, more: 1 },
        { seat: 3, gaveUp: '', failed: 7 },
        { seat: '4', failed },
        null,
        'x',
      ]),
    ).toEqual([{ seat: 0 }, { seat: 1, gaveUp }, { seat: 2, failed }, { seat: 3 }]);
    for (const none of [undefined, null, {}, 'x']) expect(seatEnds(none)).toEqual([]);
  });
});
