import type { Suite } from './play.js';

const troubles = [
  ...['a pause', 'a freeze', 'a crash', 'a cut there', 'a cut back'],
  ...['a wall clock set forward', 'a wall clock set back'],
  ...['a wall clock set forward by more than an hour', 'a wall clock set back by more than an hour'],
  ...['a request is lost', 'a request comes twice', 'a request is throttled'],
  ...[
    'the answer to a write is lost',
    'an internal error before the write',
    'an internal error after the write',
  ],
].map((kind) => `trouble: ${kind}`);

const asked = [
  ...['maxHoldMs', 'endsInMs', 'retainMs', 'a lease length of its own', 'a write under an earlier lease'],
].map((kind) => `asked: ${kind}`);

/** Calls whose likely ends must all have been seen: of what is never played, or never ends so, nobody can know anything. */
function ends(what: string, ...outcomes: readonly string[]): readonly string[] {
  return outcomes.map((outcome) => `call: ${what} ${outcome}`);
}

const locks = [
  ...troubles,
  ...asked,
  ...ends('acquire', 'ok', 'LockHeldError', 'StoreError', 'UserAbort'),
  ...ends('acquire waiting', 'ok', 'LockHeldError', 'StoreError', 'AlreadyCompletedError', 'UserAbort'),
  ...ends('acquire supersede', 'ok', 'LockHeldError'),
  ...ends('acquire supersede waiting', 'ok'),
  ...ends('withLock', 'ok', 'LockHeldError', 'StoreError', 'AlreadyCompletedError'),
  ...ends('acquire fair', 'ok', 'LockHeldError', 'StoreError', 'AlreadyCompletedError', 'UserAbort'),
  ...ends('acquire fair supersede', 'ok', 'LockHeldError'),
  ...ends('leader', 'ok'),
  ...ends('requestRelease', 'ok'),
  ...ends('claimNext', 'ok', 'none free'),
  ...ends('once', 'ok', 'WorkFailed'),
  ...ends('save', 'ok', 'StoreError'),
  ...ends('renew', 'ok'),
  ...ends('release', 'released', 'StoreError', 'lost: expired', 'lost: max-hold'),
  ...ends('complete', 'ok'),
  ...ends('inspect', 'ok', 'StoreError'),
  ...ends('break', 'ok'),
  ...ends('guardUpdate', 'ok'),
  ...ends('guardPut', 'ok'),
  ...ends('guardDelete', 'ok'),
  ...ends('guardTombstone', 'ok'),
  ...ends('guardTransaction', 'ok', 'LockLostError: broken', 'TransactionCanceledException'),
  ...ends('guardedPutObject', 'ok'),
  ...ends('sqlFence', 'ok'),
];

/** Some of these come less than once in fifty schedules: only the suite with thousands of them must have had each. */
const rarer = [
  ...ends('acquire', 'AlreadyCompletedError'),
  ...ends('acquire supersede', 'StoreError'),
  ...ends('acquire supersede waiting', 'LockHeldError'),
  ...ends('withLock', 'LockLostError: max-hold'),
  ...ends('requestRelease', 'not current'),
  ...ends('once', 'StoreError'),
  ...ends('renew', 'StoreError'),
  ...ends('break', 'StoreError'),
  ...ends('reopen', 'ok'),
  ...ends('guardUpdate', 'StaleTokenError'),
  ...ends('guardPut', 'StaleTokenError'),
  ...ends('guardTombstone', 'StaleTokenError'),
  ...ends('guardTransaction', 'StaleTokenError'),
  ...ends('guardedPutObject', 'StaleTokenError'),
  ...ends('sqlFence', 'StaleTokenError'),
];

const lines = [
  'asked: handOver with a length of its own',
  ...ends('handOver', 'ok', 'StoreError', 'LockLostError: max-hold'),
  ...ends('resume', 'ok', 'StoreError', 'LockLostError: taken-over'),
];

/** Permits of a semaphore, readers and a writer. */
const shared = [
  ...ends('permit', 'ok', 'LockHeldError', 'at last ok'),
  ...ends('permit supersede', 'ok'),
  ...ends('permit waiting', 'ok'),
  ...ends('withPermit', 'ok'),
  ...ends('read', 'ok', 'LockHeldError', 'at last ok'),
  ...ends('read waiting', 'ok'),
  ...ends('write', 'at last ok'),
  ...ends('write waiting', 'ok'),
  ...ends('release write', 'released'),
];

/** Kinds of trouble and of outcome that some hundred schedules of a suite must have had: a zero would mean that nobody plays it. */
export const wantedKinds: Readonly<Record<Suite, readonly string[]>> = {
  lock: [
    ...locks,
    ...rarer,
    ...shared,
    ...ends('permit waiting', 'LockHeldError'),
    ...ends('withPermit', 'LockHeldError'),
    ...ends('read waiting', 'LockHeldError'),
    ...ends('write', 'ok', 'LockHeldError'),
    ...ends('write waiting', 'LockHeldError'),
    ...ends('cronSlot', 'ok', 'finished', 'overtaken', 'WorkFailed', 'StoreError'),
    ...ends('guardDelete', 'StaleTokenError'),
    ...ends('acquireAll', 'ok', 'LockHeldError', 'StoreError', 'UserAbort'),
    ...ends('withLocks', 'ok', 'LockHeldError', 'LockLostError: broken', 'LockLostError: expired'),
    'asked: behind dead waiters',
    ...['seen: taken over by watching', 'seen: taken over by watching, before its end in the store'],
    ...ends('releaseAll', 'released'),
    ...ends('lead', 'ok', 'WorkFailed', 'UserAbort'),
    'trouble: Time to Live removes an item',
    'trouble: an older backup of the table is restored',
    'trouble: somebody deletes an item in use',
    'trouble: all sleep for hours',
    'trouble: both clocks of a machine jump',
  ],
  'hand-over': [...locks, ...lines, ...ends('cronSlot', 'ok')],
  service: [...locks, ...shared, ...lines],
  scan: [
    ...troubles,
    'split: by a seat',
    'split: by somebody at random',
    'split: of a slice that is held',
    'split: another holder comes before the child is made',
  ],
};
