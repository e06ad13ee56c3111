/**
 * The names of a semaphore's permits: `partner-api#0`, `partner-api#1`, …. Names that end in `#` and digits are reserved
 * for them.
 */
export function permitNames(name: string, permits: number): readonly string[] {
  return Array.from({ length: permits }, (_, i) => `${name}#${i}`);
}

/** What a lease of the lock kit's own is to what it is a part of. */
export interface KitPart {
  readonly role: 'permit' | 'reader' | 'writer';
  /** The name of the semaphore, or of the readers and their writer. */
  readonly of: string;
}

/** What a name is a part of, if it is one that the kit makes itself. */
export function kitPartOf(name: string): KitPart | undefined {
  const [, of, reader, writer] = /^(.+?)(?:(#r)?#\d+|(#w))$/s.exec(name) ?? [];
  if (of === undefined) return undefined;
  if (writer) return { role: 'writer', of };
  return { role: reader ? 'reader' : 'permit', of };
}
