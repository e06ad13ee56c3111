/** Digits of a token that are shown where room is scarce. */
const shownDigits = 6;

/**
 * A fencing token, short: its last digits. Tokens of one run begin with the time of day in milliseconds and share
 * their first digits; those shown tell all that changes within a quarter of an hour.
 */
export function formatToken(token: number | undefined): string {
  if (token === undefined) return 'none';
  const text = String(token);
  return text.length > shownDigits ? `…${text.slice(-shownDigits)}` : text;
}
