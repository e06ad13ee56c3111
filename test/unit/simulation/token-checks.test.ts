import { expect, it } from 'vitest';
import { checkTokens } from '../../simulation/check/tokens.js';
import type { HistoryRecord, RequestInfo } from '../../simulation/history/history.js';
import { Tally } from '../../simulation/history/tally.js';

const startMs = 1_000_000;
const told = (records: readonly HistoryRecord[], deletedEarlyAtMs?: number) =>
  checkTokens({
    premises: {
      ...{ clocksHold: true, wallSteps: false, skewMs: 0, retentionMs: 0, isCalm: true, isPatient: true },
      deletedEarlyAtMs,
    },
    records: [...records],
    tally: new Tally(),
  }).map(({ what }) => what);

type Item = Readonly<Record<string, { readonly N: string } | { readonly S: string }>>;

/** A write to the item `a`, sent so long after the start. */
function write(afterMs: number, before: Item | undefined, after: Item | undefined): HistoryRecord {
  const sentAtMs = startMs + afterMs;
  const request: RequestInfo = {
    ...{ process: 'p', isLate: false, number: afterMs, operation: 'UpdateItemCommand', input: {} },
    ...{ sentAtMs, firstSentAtMs: sentAtMs },
  };
  return {
    ...{ kind: 'write', atMs: sentAtMs, table: 'leases', key: 'a', before, after },
    request: after && request,
  } as HistoryRecord;
}
const free = (token: number): Item => ({ version: { N: String(startMs + token) } });
const held = (token: number): Item => ({ ...free(token), leaseId: { S: 'p.1' } });

it('I1 an item that was made, deleted by hand and made anew within the clocks’ width may begin lower', () => {
  const writes = [
    write(100, undefined, free(90)),
    write(200, free(90), undefined),
    write(300, undefined, free(20)),
    write(400, free(20), held(60)),
  ];
  expect(told(writes, startMs + 200)).toEqual([]);
  // Nobody deleted it by hand: then it must not.
  expect(told(writes)).toEqual([`a is granted with token ${startMs + 60} after ${startMs + 90}`]);
});

it('I1 it may not once the clocks’ width is over', () => {
  const writes = [
    write(100, undefined, free(90)),
    write(200, free(90), undefined),
    write(300, undefined, free(20)),
    write(9_000, free(20), held(60)),
  ];
  expect(told(writes, startMs + 200)).toContain(
    `a is granted with token ${startMs + 60} after ${startMs + 90}`,
  );
});
