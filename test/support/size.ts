/**
 * How much the tests do. `npm test` runs the short form of what could go on for long; `npm run test:long` runs the long
 * form, and with it the files whose name ends in `.long.test.ts`, which have no short one.
 */
export const size: 'short' | 'long' = process.env.LEASEHOLD_TEST_SIZE === 'long' ? 'long' : 'short';

/** Takes the value for this run. The only way to tell the forms of a test apart. */
export function bySize<T>(forms: { readonly short: T; readonly long: T }): T {
  return forms[size];
}
