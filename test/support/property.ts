import fc from 'fast-check';
import { expect } from 'vitest';
import { bySize, size } from './size.js';

/** Cases of a property in the long form, unless it says otherwise. */
const usualCases = 10_000;

/** The short form has that many times fewer, but not so few that it means nothing. */
const [shortening, minShortCases] = [20, 50];

/** Replays a failure: the seed that was printed. It counts for all properties of the run. */
const seedVariable = 'LEASEHOLD_PROPERTY_SEED';

/** Fewer cases than the properties ask for, and no shrinking: for a mutation run, which checks them hundreds of times. */
const maxCasesVariable = 'LEASEHOLD_PROPERTY_CASES';

/** How a property is checked. */
export interface CheckOptions {
  /** In the long form; fewer only where each case takes a real engine, real files or a whole scan. @default 10_000 */
  readonly cases?: number;
}

/**
 * Checks a property in many random cases, and prints the seed that they come from. What fails is shrunk to a small
 * case.
 *
 * @throws Error with that case, and with the line that finds it again
 */
export function checkProperty<Ts>(property: fc.IProperty<Ts>, options?: CheckOptions): void;
export function checkProperty<Ts>(property: fc.IAsyncProperty<Ts>, options?: CheckOptions): Promise<void>;
export function checkProperty<Ts>(
  property: fc.IRawProperty<Ts>,
  { cases = usualCases }: CheckOptions = {},
): void | Promise<void> {
  const seed = numberIn(seedVariable) ?? Math.floor(Math.random() * 2 ** 31);
  const maxCases = numberIn(maxCasesVariable);
  const short = Math.min(cases, Math.max(minShortCases, Math.ceil(cases / shortening)));
  const numRuns = Math.min(bySize({ short, long: cases }), maxCases ?? cases);
  const { file, title } = testAtHand();
  console.log(`property "${title}": ${numRuns.toLocaleString('en')} cases, seed ${seed}`);
  const reporter = (details: fc.RunDetails<Ts>) => {
    if (!details.failed) return;
    const form = size === 'long' ? 'LEASEHOLD_TEST_SIZE=long ' : '';
    const again = `${form}${seedVariable}=${seed} npx vitest run ${file} -t ${JSON.stringify(title)}`;
    const why = String(details.errorInstance);
    const message = `${fc.defaultReportMessage(details)}\n\n${why}\n\nAgain: ${again}\n`;
    throw new Error(message, { cause: details.errorInstance });
  };
  return fc.assert(property, { seed, numRuns, reporter, endOnFailure: maxCases !== undefined });
}

function testAtHand(): { readonly file: string; readonly title: string } {
  const { testPath = '', currentTestName = '' } = expect.getState();
  return {
    file: testPath.slice(testPath.lastIndexOf('/test/') + 1),
    title: currentTestName.split(' > ').at(-1)!,
  };
}

function numberIn(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${variable}: a whole number is wanted, got "${text}"`);
  return value;
}
