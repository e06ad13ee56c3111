import { quoted, UsageError } from '../../errors/index.js';

/** The fields of an event from outside. Each reader names the field, its limit and its value when it is wrong. */
export class EventFields {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @throws UsageError if it is no object */
  constructor(what: string, event: unknown) {
    this.#fields = parseObject(what, event);
  }

  /** @throws UsageError unless the field is a string of at least one character */
  text(field: string): string {
    const value = this.#fields[field];
    if (typeof value === 'string' && value !== '') return value;
    throw wrong(field, 'a string that is not empty', value);
  }

  /** @throws UsageError unless the field is absent or a string */
  optionalText(field: string): string | undefined {
    const value = this.#fields[field] ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw wrong(field, 'a string', value);
  }

  /** @throws UsageError unless the field is a whole number within the limits */
  count(field: string, least: number, most: number): number {
    const value = this.#fields[field];
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
      return value as number;
    throw wrong(field, `a whole number from ${least} to ${most}`, value);
  }

  /** @throws UsageError unless the field is absent or a whole number within the limits */
  optionalCount(field: string, least: number, most: number): number | undefined {
    return (this.#fields[field] ?? undefined) === undefined ? undefined : this.count(field, least, most);
  }

  /** @throws UsageError unless the field is absent, true or false */
  optionalFlag(field: string): boolean | undefined {
    const value = this.#fields[field] ?? undefined;
    if (value === undefined || typeof value === 'boolean') return value;
    throw wrong(field, 'true or false', value);
  }

  /** @throws UsageError unless the field is absent or a list of strings */
  optionalTexts(field: string): readonly string[] | undefined {
    const value = this.#fields[field] ?? undefined;
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    throw wrong(field, 'a list of strings', value);
  }
}

/** @throws UsageError if it is no object; what is absent counts as empty */
export function parseObject(what: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(what, 'an object', value);
}

function wrong(field: string, limit: string, value: unknown): UsageError {
  return new UsageError(`${field}: must be ${limit}, got ${quoted(value)}`);
}
