import { jsonText } from './json-text.js';

/** What a command answers with goes to stdout … */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** … as one JSON value where programs read it … */
export function printJson(value: unknown): void {
  print(jsonText(value, 2));
}

/** … and everything said on the way, to stderr. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
