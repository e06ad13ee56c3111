/**
 * What an emulator (ministack) is known to do otherwise than AWS, by the name of what is then left out. In an account
 * nothing is.
 */
export const emulatorGaps: ReadonlyMap<string, string> = new Map([
  ['doctor: items expire', 'the emulator ignores TimeToLiveSpecification of a GlobalTable'],
  [
    'section: a lock that is held fails it with LockHeldError',
    'the emulator names every error of a function Runtime.HandlerError',
  ],
  [
    'section: a failure of its states stays theirs, and gives the lock back',
    'the emulator mis-handles Catch on a Parallel state',
  ],
  ['update: what is held stays held, with its token', 'the emulator empties a table when a stack is updated'],
]);

/** Context of the app on an emulator, with what it leaves out. */
export const emulatorContext: Readonly<Record<string, string>> = { alarms: 'false' };
export const emulatorRemarks: readonly string[] = [
  'alarms: the emulator refuses metric-math alarms',
  'least privilege: the emulator does not check IAM',
  'deletion policies: the emulator ignores them',
];
