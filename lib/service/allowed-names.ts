import { UsageError } from '../errors/index.js';

/** Whether callers of a deployment may use a name. */
export type NameRule = (name: string) => boolean;

/**
 * @param patterns exact names, or beginnings that end in `*`; absent: all names are allowed
 * @throws UsageError for a pattern with a `*` elsewhere, or an empty one
 */
export function nameRule(patterns: readonly string[] | undefined): NameRule {
  if (patterns === undefined) return () => true;
  for (const pattern of patterns) {
    const star = pattern.indexOf('*');
    if (pattern === '' || (star >= 0 && star !== pattern.length - 1)) {
      throw new UsageError(
        `names: a pattern must be a name, or end in its only *; got ${JSON.stringify(pattern)}`,
      );
    }
  }
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .map((pattern) => pattern.slice(0, -1));
  return (name) => exact.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}
