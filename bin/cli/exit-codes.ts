/** What `run` ends with where it is not the command's own exit code. */
export const exitCodes = {
  /** The command was not run: somebody else holds the lock, or the store could not be used. As `EX_TEMPFAIL`. */
  notAcquired: 75,
  /** The lock was lost while the command ran. */
  lost: 76,
  /** As in a shell: the command is there and can't be executed … */
  notExecutable: 126,
  /** … or it is not there. */
  notFound: 127,
} as const;
