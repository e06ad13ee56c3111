import { grouped } from '../chaos/check/grouped.js';
import type { Violation } from '../chaos/check/violation.js';
import { type History, ofKind } from '../chaos/history/read-history.js';
import * as models from './models.js';
import { explain, type Operation } from './search.js';

/** Orders that are tried for one object; the history of a run has thousands of operations, few of them at the same time. */
const maxTried = 1_000_000;

/**
 * An independent reading of what the workers wrote down: a lock that gives one lease after the other, and a fence that takes
 * no older token, could have answered so. An answer "held" was given at the moment of its question.
 *
 * @param fenced names of the sets whose writes are guarded
 */
export function unexplained(history: History, fenced: readonly string[]): Violation[] {
  const violations: Violation[] = [];
  const look = <State>(
    name: string,
    operations: readonly Operation<State>[],
    model: Parameters<typeof explain<State>>[1],
  ) => {
    const found = explain(operations, model, maxTried);
    if (found.kind !== 'impossible') return;
    const what = `no order explains what was told of ${name}: after "${found.order.slice(-3).join('", "')}" none of "${found.stuck.join('", "')}" can be`;
    violations.push({ kind: 'unexplained', what, evidence: [] });
  };
  for (const [name, operations] of lockOperations(history)) look(`"${name}"`, operations, models.lock);
  for (const name of fenced) look(`the fence of "${name}"`, fenceOperations(history, name), models.fence);
  return violations;
}

function lockOperations(history: History): ReadonlyMap<string, Operation<models.LockState>[]> {
  const objects = new Map<string, Operation<models.LockState>[]>();
  const toId = ({ source, token }: { readonly source: string; readonly token: number }) =>
    `${source.slice(0, source.lastIndexOf(':'))} ${token}`;
  for (const [name, grants] of grouped(ofKind(history, 'granted'), (grant) => grant.name)) {
    const known = new Set(grants.map(toId));
    objects.set(name, [
      ...grants.map((grant) =>
        models.granted({ fromMs: grant.askedAtMs, toMs: grant.atMs }, toId(grant), grant.token),
      ),
      ...ofKind(history, 'held')
        .filter((held) => held.name === name && known.has(toId(held)))
        .map((held) => models.worked({ fromMs: held.atMs, toMs: held.atMs }, toId(held), 'an answer "held"')),
    ]);
  }
  return objects;
}

function fenceOperations(history: History, name: string): Operation<number>[] {
  const added = new Map(
    ofKind(history, 'added').flatMap((one) => (one.set === name ? [[one.element, one.atMs] as const] : [])),
  );
  return ofKind(history, 'adding')
    .filter(({ set }) => set === name)
    .map(({ element, atMs, token }) => {
      const toMs = added.get(element);
      return models.wrote(
        { fromMs: atMs, toMs: toMs ?? Number.POSITIVE_INFINITY },
        token,
        toMs === undefined,
      );
    });
}
