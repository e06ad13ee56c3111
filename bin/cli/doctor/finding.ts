/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  /** `note`: it can't be told from here, or is not needed by all; nothing is wrong because of it. */
  readonly status: 'ok' | 'wrong' | 'note';
  /** In plain words: what was found, and what to do about it. */
  readonly message: string;
}

/** Makes findings of one check. */
export function about(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    wrong: (message: string): Finding => ({ check, status: 'wrong', message }),
    note: (message: string): Finding => ({ check, status: 'note', message }),
  };
}
