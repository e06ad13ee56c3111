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

/**
 * JSON also for what DynamoDB can store and JSON can't say: sets become arrays, binary becomes base64, numbers
 * beyond a double become strings.
 *
 * @param indent spaces; absent: one line
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, replaced, indent) ?? 'null';
}

function replaced(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value;
}

/**
 * Makes a reader that goes away (`leasehold ls | head`) no error: what is written then goes nowhere, and the exit
 * code is still that of the command. Without a listener Node would end the process with a stack trace.
 */
export function endQuietlyOnBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Errors of the operating system all have the same name; only their code tells them apart.
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
