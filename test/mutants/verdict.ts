import type { Removal, Witness } from './removal.js';

/** What one witness said of one removal. */
export interface Verdict {
  readonly removal: Removal;
  readonly witness: Witness;
  /** `noticed` is right; `unnoticed` and `broken` are not. */
  readonly outcome: 'noticed' | 'unnoticed' | 'broken';
  /** The first line of the test's failure, the rule and its seed, or what went wrong. */
  readonly detail: string;
  /** The seed of the schedule that broke a rule. */
  readonly seed?: number;
  /** Schedules played until then. */
  readonly schedules?: number;
}

/** The first line of a text, without the terminal's colours, cut to the width of a table. */
export function firstLine(text = ''): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what an escape sequence starts with
  const line = text.replace(/\u001b\[[0-9;]*m/g, '').split('\n')[0] ?? '';
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
