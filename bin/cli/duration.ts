import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a duration such as `30s`, `5m`, `1500ms` or `1.5h`. A bare number is refused: whether `30` means seconds or
 * milliseconds is a factor of a thousand that nobody should guess.
 *
 * @returns milliseconds, a whole number above 0
 * @throws InvalidArgumentError, which commander shows as a usage error
 */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const ms = match ? Math.round(Number(match[1]) * unitMs[match[2]!]!) : 0;
  if (ms > 0 && Number.isSafeInteger(ms)) return ms;
  throw new InvalidArgumentError('A duration needs a number above 0 and a unit: 30s, 5m, 1500ms, 2h.');
}

/** A duration for people, in its two largest units: `12s`, `3m 20s`, `2d 4h`; below ten seconds with a tenth. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)}s`;
  let rest = Math.round(ms / 1_000);
  const parts: string[] = [];
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}
