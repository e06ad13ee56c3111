import * as v from 'valibot';
import { isWellFormed, maxLeaseMs } from '../lease/check-options.js';

import { isStorable } from './json-value.js';

/*
 * The fields of requests. The description says what a value must be: it is what a caller reads in the schema, and what
 * a refusal says.
 */

export const minLeaseMs = 1_000;
const minRetainMs = 24 * 60 * 60 * 1000;
const maxRetainMs = 10 * maxLeaseMs;

/** How many locks a page of a listing may have. */
export const maxListed = 1_000;

export const name = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(1_024),
  v.check(isKey),
  v.description('a string of 1 to 1,024 bytes in UTF-8, without control characters'),
);

export const group = name;

export const names = v.pipe(
  v.array(name),
  v.minLength(1),
  v.maxLength(100),
  v.description('1 to 100 names, each a string of 1 to 1,024 bytes in UTF-8, without control characters'),
);

export const ticketId = v.pipe(
  v.string(),
  v.regex(/^[!-~]{8,64}$/),
  v.description('a string of 8 to 64 visible ASCII characters: new for each wait'),
);

export const deadline = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.maxValue(8_640_000_000_000_000),
  v.description('when the wait ends: store time in whole milliseconds since the epoch'),
);

export const reason = v.pipe(
  v.string(),
  v.check((text) => isWellFormed(text) && Buffer.byteLength(text) <= 256),
  v.description('a string of at most 256 bytes in UTF-8, for the holder and its log'),
);

export const leaseId = v.pipe(
  v.string(),
  v.regex(/^[!-~]{8,64}$/),
  v.description(
    'a string of 8 to 64 visible ASCII characters: new for each acquire, the same over its retries, known to nobody else',
  ),
);

export const fromLeaseId = v.pipe(
  v.string(),
  v.regex(/^[!-~]{1,64}$/),
  v.description('the lease id that was handed over: a string of 1 to 64 visible ASCII characters'),
);

export const owner = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(256),
  v.check((text) => isWellFormed(text) && Buffer.byteLength(text) <= 256),
  v.description('a string of 1 to 256 bytes in UTF-8: a label for people'),
);

export const token = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.description('the fencing token that the grant brought: a whole number, at least 1'),
);

export const leaseMs = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(minLeaseMs),
  v.maxValue(maxLeaseMs),
  v.description('how long the lease runs: whole milliseconds, from 1,000 to what the deployment allows'),
);

export const minHoldMs = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(maxLeaseMs),
  v.description(
    'nobody gets the lock until so long after its grant: whole milliseconds; at most the longest lease of the deployment counts',
  ),
);

export const lockDelayMs = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(maxLeaseMs),
  v.description(
    'a lease that ran out, instead of being released, is taken only so much later: whole milliseconds',
  ),
);

export const expiresAt = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.description(
    'the end asked for: store time in whole milliseconds since the epoch, above all that was asked for before',
  ),
);

export const completedAt = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.description(
    'the completion to take back, as inspect showed it: store time in whole milliseconds since the epoch. ' +
      'Without it, the one that is found when the request arrives',
  ),
);

export const retainMs = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(minRetainMs),
  v.maxValue(maxRetainMs),
  v.description('how long the result is kept: whole milliseconds, at least a day, at most ten years'),
);

export const execution = v.pipe(
  v.string(),
  v.maxLength(256),
  v.regex(/^arn:[\w-]+:states:[\w-]+:\d{12}:(execution|express):[!-~]+$/),
  v.description('the ARN of a Step Functions execution, at most 256 characters: it holds the lock'),
);

const storable = v.check(isStorable);
const whatIsStorable =
  'at most 180,000 bytes of JSON (196,608 as DynamoDB counts), nested at most 30 deep, ' +
  'no empty keys, whole numbers within ±(2^53 - 1)';

export const checkpoint = v.pipe(
  v.unknown(),
  storable,
  v.description(`progress of the work, for the next holder: ${whatIsStorable}`),
);

export const result = v.pipe(
  v.unknown(),
  storable,
  v.description(`what later callers get as the result: ${whatIsStorable}`),
);

export const limit = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.maxValue(maxListed),
  v.description('how many locks at the most: a whole number from 1 to 1,000; 100 if absent'),
);

export const cursor = v.pipe(name, v.description('the cursor that the page before brought'));

export const supersedes = v.pipe(
  token,
  v.description(
    'the token of an earlier lease of the same owner, as a refusal showed it: exactly that one is taken over at once, ' +
      'if it was granted under the same ownerKey',
  ),
);

export const ownerKey = v.pipe(
  v.string(),
  v.regex(/^[!-~]{16,128}$/),
  v.description(
    'a secret of 16 to 128 visible ASCII characters, the same for all attempts of an owner and known to nobody else: ' +
      'it proves that an earlier lease is the caller’s own; never shown, only its hash is stored',
  ),
);

export const clearCheckpoint = v.pipe(v.literal(true), v.description('true: take the checkpoint away'));

export const retries = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.description(
    'how often an end of this lease (release, complete) was asked for before and not answered: a whole number, 0 if ' +
      'absent. After some, finding others is unknown, a StoreError, instead of lost: an earlier one may have been done',
  ),
);

export const throws = v.pipe(
  v.boolean(),
  v.description(
    'true or false: fail the invocation with the error, for a Retry or Catch that matches its name',
  ),
);

// As \p{Cc}, for which a start would load what Unicode says of each character.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is them that are looked for
const control = /[\u0000-\u001f\u007f-\u009f]/;

function isKey(text: string): boolean {
  return isWellFormed(text) && !control.test(text) && Buffer.byteLength(text) <= 1_024;
}
