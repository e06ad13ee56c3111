import { describe, expect, it } from 'vitest';
import { checkShared } from '../../simulation/check/shared.js';
import type { HistoryRecord, SharerView } from '../../simulation/history/history.js';
import { Tally } from '../../simulation/history/tally.js';

const premises = {
  clocksHold: true,
  wallSteps: false,
  skewMs: 0,
  retentionMs: 0,
  isCalm: true,
  isPatient: true,
};
const told = (records: readonly HistoryRecord[]) =>
  checkShared({
    premises: { ...premises, deletedEarlyAtMs: undefined },
    records: [...records],
    tally: new Tally(),
  }).map(({ rule, what }) => `${rule}: ${what}`);

const seen = (atMs: number, permits: number, ...sharers: readonly SharerView[]): HistoryRecord => ({
  ...{ kind: 'shared survey', atMs, name: 'a', sharers, permits },
});
const sharer = (role: SharerView['role'], leaseId: string, isValid = true): SharerView => ({
  ...{ role, process: leaseId, leaseIds: [leaseId], isValid },
});
const item = (leaseId: string, owner = leaseId) => ({
  leaseId: { S: leaseId },
  owner: { S: owner },
  expiresAt: { N: '1000' },
  version: { N: '1' },
});
const write = (
  atMs: number,
  key: string,
  before?: string,
  after?: string,
  owner?: string,
): HistoryRecord => ({
  ...{ kind: 'write', atMs, table: 'leases', key, request: undefined },
  before: before === undefined ? undefined : item(before, owner),
  after: after === undefined ? {} : item(after, owner),
});

describe('the check of what several share', () => {
  it('finds one valid holder more than the largest number of permits that was asked for', () => {
    const three = [sharer('permit', 'p.1'), sharer('permit', 'q.1'), sharer('permit', 'r.1')];
    expect(told([seen(1, 2, ...three)])).toEqual([
      'permits: a: 3 valid holders of 2 permits: permit p.1 and permit q.1 and permit r.1',
    ]);
    expect(told([seen(1, 3, ...three)])).toEqual([]);
  });

  it('counts no holder that is not valid, was superseded, or was broken', () => {
    const both = [sharer('permit', 'p.1'), sharer('permit', 'q.1')];
    expect(told([seen(1, 1, sharer('permit', 'p.1', false), sharer('permit', 'q.1'))])).toEqual([]);
    expect(told([write(1, 'a#0', 'p.1', 'q.1', 'one'), seen(2, 1, ...both)])).toEqual([]);
    expect(told([write(1, 'a#0', 'p.1'), seen(2, 1, ...both)])).toEqual([]);
    expect(told([seen(2, 1, ...both)])).toHaveLength(1);
  });

  it('finds a reader that is valid together with a writer, and two writers, and lets readers be', () => {
    expect(told([seen(1, 0, sharer('writer', 'w.1'), sharer('reader', 'r.1'))])).toEqual([
      'readers and writer: a: writer w.1 and reader r.1 are valid together',
    ]);
    expect(told([seen(1, 0, sharer('writer', 'w.1'), sharer('writer', 'w.2'))])).toHaveLength(1);
    expect(told([seen(1, 0, sharer('reader', 'r.1'), sharer('reader', 'r.2'))])).toEqual([]);
  });

  it('finds a reader that comes in past a writer at the gate', () => {
    const reader = seen(4, 0, sharer('reader', 'r.1'));
    const [gate, permit] = [write(1, 'a#w', undefined, 'w.1'), write(2, 'a#r#0', undefined, 'r.1')];
    expect(told([gate, permit, reader])).toEqual([
      'writers first: a: r.1 reads, past w.1, which stands at the gate',
    ]);
    // Who came first may stay; and a writer that has gone, or whose lease has run out, keeps nobody out.
    expect(told([permit, gate, reader])).toEqual([]);
    expect(told([gate, permit, write(3, 'a#w', 'w.1'), reader])).toEqual([]);
    expect(told([gate, permit, seen(1_001, 0, sharer('reader', 'r.1'))])).toEqual([]);
  });
});
