import { Alphabet, sharedLength } from '../keys/key-middle.js';
import { isLegalCharacter, maxKeyBytes, topCharacter } from '../keys/key-order.js';

import type { PlanRequests } from './plan-requests.js';

/** So many pages are listed before anything is guessed: a prefix of a few pages gets a slice a page, not K. */
const maxSamplePages = 4;

/** The last of the characters that most keys are made of. */
const lastAsciiPoint = 0x7e;
const lastPoint = topCharacter.codePointAt(0)!;

/** What is known of the keys under a prefix. */
export interface KeySample {
  /** The last key of each page listed. */
  readonly pageEnds: readonly string[];
  /** Whether those pages are all that there is. */
  readonly complete: boolean;
  /** The first key; absent: there is none. */
  readonly firstKey: string | undefined;
  readonly alphabet: Alphabet;
  /** What all keys begin with, as far as is known. */
  readonly stem: string;
  /** Nothing was seen above it. */
  readonly emptyAfter?: string;
}

/** Planning, step 1: the first page, and a few more while there are any. */
export async function samplePages(requests: PlanRequests, slices: number): Promise<KeySample> {
  const alphabet = new Alphabet();
  const pageEnds: string[] = [];
  let firstKey: string | undefined;
  let complete = false;
  while (!complete && pageEnds.length < Math.min(maxSamplePages, slices)) {
    const page = await requests.page(pageEnds.at(-1));
    for (const { key } of page.objects) alphabet.add(key, requests.prefix.length);
    firstKey ??= page.objects[0]?.key;
    const last = page.objects.at(-1);
    if (last) pageEnds.push(last.key);
    complete = !page.truncated;
  }
  const stem =
    firstKey === undefined
      ? requests.prefix
      : firstKey.slice(0, Math.max(requests.prefix.length, sharedLength(firstKey, pageEnds.at(-1)!)));
  return { pageEnds, complete, firstKey, alphabet, stem };
}

/**
 * Planning, step 2: what the pages have in common may be the first folder only. A probe past all that begins with
 * it shortens it, until there is nothing behind.
 *
 * @param reserve requests to leave for later steps
 */
export async function withTrueStem(
  requests: PlanRequests,
  sample: KeySample,
  reserve: number,
): Promise<KeySample> {
  let { stem } = sample;
  while (stem.length > requests.prefix.length && requests.left > reserve) {
    const past = stem + topCharacter;
    if (Buffer.byteLength(past) > maxKeyBytes) break;
    const key = await requests.firstKeyAfter(past);
    if (key === undefined) break;
    sample.alphabet.add(key, requests.prefix.length);
    const shared = sharedLength(stem, key);
    if (shared >= stem.length) break;
    stem = stem.slice(0, Math.max(requests.prefix.length, shared));
  }
  return { ...sample, stem };
}

/**
 * Planning, step 3: a binary search for the last leading character (behind the stem) with keys behind it. Without
 * it half of all cuts would lie where nothing is.
 *
 * @param reserve requests to leave for later steps
 */
export async function withClosedTop(
  requests: PlanRequests,
  sample: KeySample,
  reserve: number,
): Promise<KeySample> {
  const { stem, pageEnds } = sample;
  const lastKey = pageEnds.at(-1);
  let seen = lastKey === undefined ? undefined : leadingPoint(lastKey, stem);
  if (seen === undefined) return sample;
  let bound = lastPoint;
  // Straight behind what was seen first, then behind all of ASCII: most searches end there.
  let guess = seen;
  for (let isFirst = true; seen < bound; isFirst = false) {
    if (requests.left <= reserve) return sample;
    const past = stem + String.fromCodePoint(guess) + topCharacter;
    if (Buffer.byteLength(past) > maxKeyBytes) return sample;
    const key = await requests.firstKeyAfter(past);
    if (key === undefined) bound = guess;
    else {
      sample.alphabet.add(key, requests.prefix.length);
      const point = leadingPoint(key, stem);
      // Behind the stem altogether: it was not the true one, there is nothing to close.
      if (point === undefined || point <= seen) return sample;
      seen = point;
    }
    guess = isFirst && seen <= lastAsciiPoint ? lastAsciiPoint : legalMiddle(seen, bound);
  }
  // Outside ASCII the pages show few of the characters that there are.
  if (seen > lastAsciiPoint) sample.alphabet.addBetween(leadingPoint(lastKey!, stem)!, seen);
  return { ...sample, emptyAfter: stem + String.fromCodePoint(seen) + topCharacter };
}

function leadingPoint(key: string, stem: string): number | undefined {
  return key.startsWith(stem) ? key.codePointAt(stem.length) : undefined;
}

/** A character between the two that may be sent; `low` itself where there is none in between. */
function legalMiddle(low: number, high: number): number {
  let point = (low + high) >> 1;
  while (point > low && !isLegalCharacter(String.fromCodePoint(point))) point--;
  return point;
}
