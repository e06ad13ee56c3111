import { describe, expect, it } from 'vitest';
import { checkAnswers } from '../../simulation/check/answers.js';
import { checkLeaders } from '../../simulation/check/leaders.js';
import { checkLines } from '../../simulation/check/lines.js';
import type { CallRecord, Check, HistoryRecord, RequestInfo } from '../../simulation/history/history.js';
import { Tally } from '../../simulation/history/tally.js';

const premises = {
  clocksHold: true,
  wallSteps: false,
  skewMs: 0,
  retentionMs: 0,
  isCalm: true,
  isNetworkCalm: true,
  isPatient: true,
  pollFloorMs: 20,
  deletedEarlyAtMs: undefined,
};
const toldBy = (check: Check, records: readonly HistoryRecord[]) =>
  check({ premises, records: [...records], tally: new Tally() }).map(({ what }) => what);

const dayMs = 24 * 3_600_000;
const request = (process: string, sentAtMs: number): RequestInfo => ({
  ...{ process, number: 1, sentAtMs, firstSentAtMs: sentAtMs },
  ...{ operation: 'UpdateItemCommand', input: {}, isLate: false },
});

/** The line as it stands from now on: tickets that are good for so long. */
const line = (
  atMs: number,
  by: string,
  ...tickets: readonly (readonly [string, number])[]
): HistoryRecord => ({
  ...{
    kind: 'write',
    atMs,
    table: 'leases',
    key: 'a\u001fline',
    before: undefined,
    request: request(by, atMs),
  },
  after: {
    ttl: { N: String((atMs + dayMs) / 1_000) },
    tickets: { L: tickets.map(([id, deadline]) => ({ S: `${deadline} ${id}` })) },
  },
});

const lease = (leaseId: string, expiresAt: number) => ({
  leaseId: { S: leaseId },
  owner: { S: leaseId },
  expiresAt: { N: String(expiresAt) },
  version: { N: '1' },
});

/** The lock is granted, or given back where no lease is named. */
const lock = (atMs: number, by: string, leaseId?: string, before?: string): HistoryRecord => ({
  ...{ kind: 'write', atMs, table: 'leases', key: 'a', request: request(by, atMs) },
  before: before === undefined ? undefined : lease(before, 0),
  after: leaseId === undefined ? {} : lease(leaseId, atMs + 60_000),
});

/** A call of a process whose first two ids are its own: its ticket and its lease. */
const call = (
  process: string,
  sinceMs: number,
  atMs: number,
  more: Partial<CallRecord> = {},
): CallRecord => ({
  ...{ kind: 'call', atMs, sinceMs, process, what: 'acquire fair', name: 'a', leaseId: `${process}.2` },
  ...{ outcome: 'ok', isFair: true, isAlone: true, firstId: 0, lastId: 2, writes: 1, reads: 1 },
  ...more,
});

describe('the check of lines', () => {
  const freedMs = 10_000;
  /** Two in line: `p`, which is dead, before `q`. The lock is free from `freedMs` on, and `q` has it when it is granted. */
  const behindTheDead = (deadline: number, grantedMs: number, clearedMs?: number): HistoryRecord[] => [
    lock(1, 'x', 'x.1'),
    line(100, 'p', ['p.1', deadline]),
    line(200, 'q', ['p.1', deadline], ['q.1', dayMs]),
    { kind: 'crash', atMs: 300, process: 'p' },
    lock(freedMs, 'x', undefined, 'x.1'),
    ...(clearedMs === undefined ? [] : [line(clearedMs, 'q', ['q.1', dayMs])]),
    lock(grantedMs, 'q', 'q.2'),
    line(grantedMs + 1, 'q'),
    call('q', 150, grantedMs + 2),
  ];

  it('lets a waiter take a grace for each who died before it, and not much more', () => {
    expect(toldBy(checkLines, behindTheDead(dayMs, freedMs + 2_300))).toEqual([]);
    expect(toldBy(checkLines, behindTheDead(dayMs, freedMs + 5_000))).toEqual([
      'a could be had for 5000 ms while q.1 stands at place 1',
    ]);
  });

  it('counts what stood before it until it was cleared away, and demands a quick look from then on', () => {
    // The time of the dead is over within the grace: whoever comes after it has waited for it until then, and no longer.
    expect(toldBy(checkLines, behindTheDead(freedMs + 1_700, freedMs + 1_900, freedMs + 1_850))).toEqual([]);
    const late = toldBy(checkLines, behindTheDead(freedMs + 100, freedMs + 2_400, freedMs + 200));
    expect(late).toEqual(['a could be had for 2200 ms while q.1 stands at place 0']);
  });

  it('finds a head that is slow, whom nobody stands before', () => {
    const alone = (grantedMs: number) => [
      lock(1, 'x', 'x.1'),
      line(200, 'q', ['q.1', dayMs]),
      lock(freedMs, 'x', undefined, 'x.1'),
      lock(grantedMs, 'q', 'q.2'),
      line(grantedMs + 1, 'q'),
      call('q', 150, grantedMs + 2),
    ];
    expect(toldBy(checkLines, alone(freedMs + 300))).toEqual([]);
    expect(toldBy(checkLines, alone(freedMs + 400))).toEqual([
      'a could be had for 400 ms while q.1 stands at place 0',
    ]);
  });

  it('finds a ticket that is left behind: its own, and that of whom it was granted the lock before', () => {
    const own = behindTheDead(dayMs, freedMs + 2_300).filter((record) => record.atMs !== freedMs + 2_301);
    expect(toldBy(checkLines, own)).toEqual(['q leaves its ticket in the line of a']);
    const others = behindTheDead(dayMs, freedMs + 2_300).map((record) =>
      record.atMs === freedMs + 2_301 ? line(record.atMs, 'q', ['p.1', dayMs]) : record,
    );
    expect(toldBy(checkLines, others)).toEqual(['q leaves the ticket of p.1, before which it was granted a']);
  });

  it('finds a grant past somebody who waits', () => {
    const past = [
      lock(1, 'x', 'x.1'),
      line(100, 'p', ['p.1', dayMs]),
      line(200, 'q', ['p.1', dayMs], ['q.1', dayMs]),
      lock(freedMs, 'x', undefined, 'x.1'),
      lock(freedMs + 100, 'q', 'q.2'),
      line(freedMs + 101, 'q', ['p.1', dayMs]),
      call('q', 150, freedMs + 102),
      line(freedMs + 5_000, 'p'),
      call('p', 50, freedMs + 5_001, { outcome: 'LockHeldError' }),
    ];
    expect(toldBy(checkLines, past)).toContain('q.2 is granted a before p.1');
  });
});

describe('the check of leaders', () => {
  /** `p` is asked, knows, sends its release at 1,000, which arrives at 1,300, and leads again so long after it was sent. */
  const steppedDown = (againMs: number): HistoryRecord[] => {
    const asked = { ...lease('p.1', 60_000), releaseRequested: { S: 'deployment' } };
    const write = (atMs: number, before: object, after: object) =>
      ({ ...lock(atMs, 'p'), key: 'lead/a', before, after }) as HistoryRecord;
    const view = {
      leaseId: 'p.1',
      process: 'p',
      isValid: true,
      isTold: false,
      isAsked: true,
      isPastEnd: false,
    };
    const leases = [{ ...view, runningMs: 0, earliest: 0, latest: 0 }];
    return [
      write(100, {}, lease('p.1', 60_000)),
      write(200, lease('p.1', 60_000), asked),
      { kind: 'survey', atMs: 900, name: 'lead/a', leases, why: 'asked' },
      { kind: 'sent', atMs: 1_000, process: 'p', leaseId: 'p.1', beginsRenewal: false, ends: true },
      write(1_300, asked, {}),
      write(1_000 + againMs, {}, lease('p.2', 60_000)),
    ];
  };

  it('finds one who leads again too soon after it let go, and counts from then, not from when that arrived', () => {
    expect(toldBy(checkLeaders, steppedDown(3_050))).toEqual([]);
    expect(toldBy(checkLeaders, steppedDown(2_500))).toEqual([
      'p.2 leads 2500 ms after its process has stepped down',
    ]);
  });
});

describe('the check of who is told to hold a lock', () => {
  /** `p` gives up at 1,000 with a lease that ends at `endsMs`, and is told of it 100 ms later. */
  const givenUp = (endsMs: number, releaseSentMs?: number): HistoryRecord[] => [
    { ...lock(500, 'p', 'p.1'), after: lease('p.1', endsMs) } as HistoryRecord,
    ...(releaseSentMs === undefined ? [] : [sent(releaseSentMs)]),
    call('p', 400, 1_000, { outcome: 'UserAbort', leaseId: undefined, isFair: false }),
    call('p', 1_050, 1_100, {
      outcome: 'LockHeldError',
      otherLeaseId: 'p.1',
      leaseId: undefined,
      firstId: 2,
    }),
  ];
  const sent = (atMs: number): HistoryRecord => ({
    ...{ kind: 'sent', atMs, process: 'p', leaseId: 'p.1', beginsRenewal: false, ends: true },
  });
  const ghost = 'p is told by acquire fair: the lock is held by p.1, which it gives back';

  it('finds a lease of its own that it gives back', () => {
    expect(toldBy(checkAnswers, givenUp(60_000))).toEqual([ghost]);
    expect(toldBy(checkAnswers, givenUp(60_000, 1_000))).toEqual([ghost]);
    expect(toldBy(checkAnswers, givenUp(2_000, 1_000))).toEqual([ghost]);
  });

  it('lets it name one that may have run out by its clock, and that it has sent no release of since', () => {
    expect(toldBy(checkAnswers, givenUp(2_000))).toEqual([]);
    expect(toldBy(checkAnswers, givenUp(2_000, 900))).toEqual([]);
  });
});
