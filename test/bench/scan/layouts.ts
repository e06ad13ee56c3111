import { Random } from '../../simulation/world/random.js';
import type { SortedKeys } from './sorted-keys.js';

/** Makes the keys of one layout; the same ones each time. */
type Layout = (count: number) => SortedKeys;

/** A folder of keys: those from `start` up to the next folder's. */
interface Folder {
  readonly path: string;
  readonly start: number;
}

const alphanumeric = '0123456789abcdefghijklmnopqrstuvwxyz';
const seed = 20_260_101;

/** The thirteen layouts by name. Where keys are random they are even; sizes, rates and depths are what differs. */
export const layouts: Readonly<Record<string, Layout>> = {
  hex: (count) => {
    const at = sortedNumbers(count, 2 ** 52);
    return layout('hex', 'random hexadecimal keys', count, (index) => hexOf(at[index]!, 13));
  },
  'uuid-deep': (count) => {
    const at = sortedNumbers(count, 2 ** 48);
    return layout('uuid-deep', 'UUIDs under one long prefix', count, (index) => {
      const digits = hexOf(at[index]!, 12);
      const tail = hexOf(mixed(index) * 2 ** 48, 12);
      return `exports/2026/customers/eu-central/full/objects/${digits.slice(0, 8)}-${digits.slice(8)}-4${tail.slice(0, 3)}-9${tail.slice(3, 6)}-${tail}`;
    });
  },
  'dates-zipf': (count) => {
    const days = dayPaths(730);
    const sizes = zipf(count, days.length, true);
    return inFolders('dates-zipf', 'days, sizes by Zipf', foldersOf(days, sizes), count, numbered(8));
  },
  'hot-last': (count) => {
    const cold = Math.floor(count * 0.05);
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const sizes = letters.map((_, index) =>
      index === 25 ? count - 25 * Math.floor(cold / 25) : Math.floor(cold / 25),
    );
    const at = sortedNumbers(count, 36 ** 9);
    const folders = foldersOf(letters, sizes);
    return inFolders('hot-last', '95 % under the last first letter', folders, count, (place, size) =>
      baseOf(at[Math.floor((place * count) / size)]!, alphanumeric, 9),
    );
  },
  sequential: (count) =>
    layout('sequential', 'numbered files', count, (index) => `file-${digits(index, 9)}.dat`),
  'time-ordered': (count) => {
    const at = unevenTimes(count);
    return layout(
      'time-ordered',
      'epoch milliseconds, uneven rate',
      count,
      (index) => `${at[index]}-${hexOf(mixed(index) * 2 ** 16, 4)}`,
    );
  },
  'tiny-dirs': (count) => {
    const at = sortedNumbers(Math.ceil(count / 10), 2 ** 40);
    return layout(
      'tiny-dirs',
      'folders of ten',
      count,
      (index) => `items/${hexOf(at[Math.floor(index / 10)]!, 10)}/part-${index % 10}.json`,
    );
  },
  unicode: (count) => {
    const scripts: readonly (readonly [first: number, last: number])[] = [
      [0x61, 0x7a],
      [0x3b1, 0x3c9],
      [0x430, 0x44f],
      [0x5d0, 0x5ea],
      [0x4e00, 0x9fa5],
      [0x1f600, 0x1f64f],
    ];
    const at = sortedNumbers(count, 2 ** 50);
    const share = Math.ceil(count / scripts.length);
    return layout('unicode', 'six scripts, emoji among them', count, (index) => {
      const script = Math.floor(index / share);
      const [first, last] = scripts[script]!;
      const size = Math.min(share, count - script * share);
      const place = at[Math.floor(((index - script * share) * count) / size)]! / 2 ** 50;
      return wordOf(place, first, last, 10);
    });
  },
  'two-clusters': (count) => {
    const half = Math.ceil(count / 2);
    return layout('two-clusters', 'two far apart, each dense', count, (index) =>
      index < half
        ? `record-${digits(100_000_000_000 + index, 12)}`
        : `record-${digits(900_000_000_000 + index, 12)}`,
    );
  },
  'growing-days': (count) => {
    const days = dayPaths(730);
    const sizes = shares(
      count,
      days.map((_, index) => (index + 1) ** 2),
    );
    return inFolders(
      'growing-days',
      'each day larger than the one before',
      foldersOf(days, sizes),
      count,
      numbered(8),
    );
  },
  'zipf-tenants': (count) => {
    const at = sortedNumbers(1_000, 36 ** 6);
    const tenants = Array.from(at, (number) => `tenants/${baseOf(number, alphanumeric, 6)}/files/`);
    const sizes = zipf(count, tenants.length, true);
    return inFolders(
      'zipf-tenants',
      'tenants by Zipf, files below',
      foldersOf(tenants, sizes),
      count,
      numbered(7),
    );
  },
  'deep-folders': (count) => {
    const folders = deepFolders(count);
    return inFolders('deep-folders', 'eight levels, uneven', folders, count, numbered(5));
  },
  'after-point': (count) => {
    const at = sortedNumbers(count, 36 ** 9);
    return layout('after-point', 'one early key, all others after one point', count, (index) =>
      index === 0 ? 'a' : `project/main/build/${baseOf(at[index]!, alphanumeric, 9)}`,
    );
  },
};

function layout(name: string, what: string, count: number, keyAt: (index: number) => string): SortedKeys {
  return { name, what, count, keyAt };
}

function inFolders(
  name: string,
  what: string,
  folders: readonly Folder[],
  count: number,
  fileAt: (place: number, size: number) => string,
): SortedKeys {
  return layout(name, what, count, (index) => {
    let low = 0;
    let high = folders.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (folders[middle]!.start <= index) low = middle;
      else high = middle;
    }
    const { path, start } = folders[low]!;
    return path + fileAt(index - start, (folders[low + 1]?.start ?? count) - start);
  });
}

/** Folders that have keys, by where they begin. */
function foldersOf(paths: readonly string[], sizes: readonly number[]): Folder[] {
  const folders: Folder[] = [];
  let start = 0;
  for (const [index, path] of paths.entries()) {
    if (sizes[index]! > 0) folders.push({ path, start });
    start += sizes[index]!;
  }
  return folders;
}

function numbered(width: number): (place: number) => string {
  return (place) => `part-${digits(place, width)}.json`;
}

/** So many different whole numbers below `limit`, in order. */
function sortedNumbers(count: number, limit: number): Float64Array {
  const random = new Random(seed + count);
  const numbers = new Float64Array(count);
  // 32 random bits are not enough for keys that lie this close.
  for (let index = 0; index < count; index++) {
    numbers[index] = Math.floor(((random.next() + random.next() / 2 ** 32) % 1) * limit);
  }
  numbers.sort();
  for (let index = 1; index < count; index++) {
    if (numbers[index]! <= numbers[index - 1]!) numbers[index] = numbers[index - 1]! + 1;
  }
  return numbers;
}

/** Moments at which objects come: the rate changes each hour, by as much as ten times, and sleeps at night. */
function unevenTimes(count: number): Float64Array {
  const random = new Random(seed);
  const times = new Float64Array(count);
  let [now, hourEnd, gapMs] = [1_700_000_000_000, 0, 1];
  for (let index = 0; index < count; index++) {
    if (now >= hourEnd) {
      hourEnd = now + 3_600_000;
      const isNight = Math.floor(now / 3_600_000) % 24 < 7;
      gapMs = random.spread(300, 3_000) * (isNight ? 10 : 1);
    }
    now += 1 + Math.floor(-Math.log(1 - random.next()) * gapMs);
    times[index] = now;
  }
  return times;
}

/** Eight levels; the shares of a level's folders differ by up to twenty times. */
function deepFolders(count: number): Folder[] {
  const random = new Random(seed);
  const folders: Folder[] = [];
  const grow = (path: string, start: number, size: number, depth: number): void => {
    if (size === 0) return;
    if (depth === 8) {
      folders.push({ path, start });
      return;
    }
    const names = [...new Set(Array.from({ length: random.whole(2, 6) }, () => nameOf(random)))].sort();
    const sizes = shares(
      size,
      names.map(() => random.spread(1, 20)),
    );
    let at = start;
    for (const [index, name] of names.entries()) {
      grow(`${path}${name}/`, at, sizes[index]!, depth + 1);
      at += sizes[index]!;
    }
  };
  grow('', 0, count, 0);
  return folders;
}

function nameOf(random: Random): string {
  return Array.from({ length: random.whole(2, 6) }, () => random.pick([...alphanumeric.slice(10)])).join('');
}

function dayPaths(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10);
    return `events/${day.replaceAll('-', '/')}/`;
  });
}

/** Sizes in proportion to 1, 1/2, 1/3, …, in any order. */
function zipf(count: number, parts: number, isShuffled: boolean): number[] {
  const weights = Array.from({ length: parts }, (_, index) => 1 / (index + 1));
  if (isShuffled) {
    const random = new Random(seed);
    for (let index = parts - 1; index > 0; index--) {
      const other = random.whole(0, index);
      [weights[index], weights[other]] = [weights[other]!, weights[index]!];
    }
  }
  return shares(count, weights);
}

/** Whole numbers in proportion to the weights that add up to `count`. */
function shares(count: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [sum, given] = [0, 0];
  return weights.map((weight) => {
    sum += weight;
    const share = Math.round((count * sum) / total) - given;
    given += share;
    return share;
  });
}

function digits(number: number, width: number): string {
  return String(number).padStart(width, '0');
}

function hexOf(number: number, width: number): string {
  return Math.floor(number).toString(16).padStart(width, '0');
}

function baseOf(number: number, characters: string, width: number): string {
  return number.toString(characters.length).padStart(width, '0');
}

/** The characters from `first` to `last` as digits of a fraction in [0, 1). */
function wordOf(place: number, first: number, last: number, length: number): string {
  const base = last - first + 1;
  let word = '';
  let rest = place;
  for (let index = 0; index < length; index++) {
    rest *= base;
    const digit = Math.floor(rest);
    word += String.fromCodePoint(first + digit);
    rest -= digit;
  }
  return word;
}

/** A number in [0, 1) that looks like chance. */
function mixed(index: number): number {
  let bits = Math.imul(index ^ (index >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
