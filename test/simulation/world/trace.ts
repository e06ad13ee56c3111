import type { StoreAnswer } from '../store/answers.js';
import type { Item } from '../store/attribute-values.js';

/** Told of everything, when somebody wants to read a schedule. */
export type Trace = ((elapsedMs: number, who: string, what: string) => void) | undefined;

/** One line. */
export function traceLine(elapsedMs: number, who: string, what: string): string {
  return `${(elapsedMs / 1000).toFixed(3).padStart(12)} s  ${who.padEnd(8)} ${what}`;
}

interface Request {
  readonly process: string;
  readonly number: number;
  readonly operation: string;
}

/** A request leaves. */
export function shownSending({ number, operation }: Request, isLost: boolean): string {
  return `sends #${number} ${operation}${isLost ? ' (lost)' : ''}`;
}

/** A request arrives. */
export function shownArrival(
  { process, number, operation }: Request,
  isLate: boolean,
  answer: StoreAnswer,
): string {
  return `#${number} ${process} ${operation}${isLate ? ' LATE' : ''}: ${answer.errorName ?? 'ok'}`;
}

/** A write, as what it changed. */
export function shownWrite(
  table: string,
  key: string,
  before: Item | undefined,
  after: Item | undefined,
): string {
  if (!after) return `→ ${table}/${key} is deleted`;
  const changed = Object.keys({ ...before, ...after })
    .filter((attribute) => JSON.stringify(before?.[attribute]) !== JSON.stringify(after[attribute]))
    .map((attribute) => `${attribute} ${shown(before?.[attribute])} → ${shown(after[attribute])}`);
  return `→ ${table}/${key}: ${changed.join(', ') || 'nothing changes'}`;
}

function shown(value: Item[string] | undefined): string {
  if (value === undefined) return '·';
  const text = value.S ?? value.N ?? JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 37)}…` : text;
}
