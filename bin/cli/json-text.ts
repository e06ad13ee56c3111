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
