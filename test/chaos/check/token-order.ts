import { type History, ofKind } from '../history/read-history.js';
import { grouped } from './grouped.js';
import { outOfOrder } from './in-order.js';
import type { Violation } from './violation.js';

/** Invariant I1, of locks and slices: tokens of a name strictly rise in the order of grants, and none comes twice. */
export function tokenOrder(history: History): Violation[] {
  const byName = grouped(ofKind(history, 'granted'), ({ name }) => name);
  return [...byName].flatMap(([name, grants]) => {
    const events = grants.map((grant) => ({
      grant,
      token: grant.token,
      fromMs: grant.askedAtMs,
      toMs: grant.atMs,
    }));
    const order = outOfOrder(events, false).map(
      ({ earlier, later }): Violation => ({
        kind: 'token-order',
        what: `"${name}" was granted under token ${later.token} after it had been under ${earlier.token}`,
        evidence: [earlier.grant, later.grant],
      }),
    );
    const twice = [...grouped(grants, ({ token }) => String(token))]
      .filter(([, same]) => new Set(same.map(({ leaseId }) => leaseId)).size > 1)
      .map(
        ([token, same]): Violation => ({
          kind: 'token-order',
          what: `"${name}" was granted twice under token ${token}`,
          evidence: same,
        }),
      );
    return [...order, ...twice];
  });
}
