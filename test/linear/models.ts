import type { Model, Operation } from './search.js';

type Between = Pick<Operation<unknown>, 'fromMs' | 'toMs'>;

/** A lock as its callers see it: who has it, under which token it was given last, and whether its work is finished. */
export interface LockState {
  readonly holder: string | undefined;
  readonly token: number;
  readonly isCompleted: boolean;
}

/** Nobody has had it. */
export const lock: Model<LockState> = {
  first: { holder: undefined, token: 0, isCompleted: false },
  toKey: ({ holder, token, isCompleted }) => `${holder} ${token} ${isCompleted}`,
};

type LockOperation = Operation<LockState>;

/** A lease was granted, under a higher token than any before. Whose lease it was before finds out: nothing works under that. */
export function granted(between: Between, leaseId: string, token: number): LockOperation {
  const step = (state: LockState) =>
    token > state.token && !state.isCompleted ? { holder: leaseId, token, isCompleted: false } : undefined;
  return { ...between, told: `${leaseId} is granted under ${token}`, mayBeLeftOut: false, step };
}

/** Nobody knows whether a lease was granted, nor under which token: one above the last. */
export function perhapsGranted(fromMs: number, leaseId: string): LockOperation {
  const step = (state: LockState) =>
    state.isCompleted ? undefined : { ...state, holder: leaseId, token: state.token + 1e-3 };
  return {
    fromMs,
    toMs: Number.POSITIVE_INFINITY,
    told: `${leaseId} is perhaps granted`,
    mayBeLeftOut: true,
    step,
  };
}

/** What works only under the current lease has worked. */
export function worked(between: Between, leaseId: string, what: string): LockOperation {
  const step = (state: LockState) => (state.holder === leaseId ? state : undefined);
  return { ...between, told: `${what} under ${leaseId}`, mayBeLeftOut: false, step };
}

/** A lease has ended, or, if nobody knows, perhaps. */
export function ended(between: Between, leaseId: string, perhaps = false): LockOperation {
  const step = (state: LockState) => (state.holder === leaseId ? { ...state, holder: undefined } : undefined);
  const told = `${leaseId} ${perhaps ? 'perhaps ends' : 'ends'}`;
  return { ...between, told, mayBeLeftOut: perhaps, step };
}

/** The work is finished, or, if nobody knows, perhaps. */
export function completed(between: Between, leaseId: string, perhaps = false): LockOperation {
  const step = (state: LockState) =>
    state.holder === leaseId ? { ...state, holder: undefined, isCompleted: true } : undefined;
  const told = `${leaseId} ${perhaps ? 'perhaps completes' : 'completes'}`;
  return { ...between, told, mayBeLeftOut: perhaps, step };
}

/** Somebody was told that it is finished. */
export function foundCompleted(between: Between): LockOperation {
  const step = (state: LockState) => (state.isCompleted ? state : undefined);
  return { ...between, told: 'somebody finds it completed', mayBeLeftOut: false, step };
}

/** A completion was taken back, or, if nobody knows, perhaps. */
export function reopened(between: Between, perhaps = false): LockOperation {
  const step = (state: LockState) => ({ ...state, isCompleted: false });
  return {
    ...between,
    told: perhaps ? 'it is perhaps reopened' : 'it is reopened',
    mayBeLeftOut: perhaps,
    step,
  };
}

/** Nothing is known of the name any more, perhaps: what was kept of it was old enough to be removed. */
export function forgotten(fromMs: number): LockOperation {
  const step = ({ token }: LockState) => ({ holder: undefined, token, isCompleted: false });
  return {
    fromMs,
    toMs: Number.POSITIVE_INFINITY,
    told: 'it is perhaps forgotten',
    mayBeLeftOut: true,
    step,
  };
}

/** What a fence guards: the highest token that has written. */
export const fence: Model<number> = { first: 0, toKey: String };

/** A guarded write was applied, or, if nobody knows, perhaps. */
export function wrote(between: Between, token: number, perhaps = false): Operation<number> {
  // What changes nothing need not be tried: the fence stands there already.
  const step = (state: number) => (token > state || (token === state && !perhaps) ? token : undefined);
  return {
    ...between,
    told: `${perhaps ? 'perhaps ' : ''}a write under ${token}`,
    mayBeLeftOut: perhaps,
    step,
  };
}

/** A guarded write was refused as stale. */
export function refused(between: Between, token: number): Operation<number> {
  const step = (state: number) => (state > token ? state : undefined);
  return { ...between, told: `a refusal of ${token}`, mayBeLeftOut: false, step };
}
