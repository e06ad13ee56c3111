import { CommandFailure } from './command-failure.js';

/** Nobody ever held the name, or TTL has removed its item. */
export function noSuchLock(name: string, table: string): CommandFailure {
  return new CommandFailure('NO_SUCH_LOCK', `There is no lock "${name}" in table "${table}"`, {
    lockName: name,
    table,
  });
}
