const format = new Intl.NumberFormat('en-US');

/** A whole number with its thousands apart. */
export function count(number: number): string {
  return format.format(Math.round(number));
}

/** Milliseconds since the start, as seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
