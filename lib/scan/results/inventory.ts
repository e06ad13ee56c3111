import { checkWholeNumber } from '../check-number.js';
import { addDigests, emptyDigest, KeyDigest } from '../keys/key-digest.js';
import { compareKeys } from '../keys/key-order.js';
import type { Processor, ScanObject, ScanPage } from './processor.js';

/** What the inventory knows of some objects. A JSON value of a few KB; counts are `[objects, bytes]`. */
export interface InventoryPartial {
  readonly objects: number;
  readonly bytes: number;
  /** Order-independent digest of the keys: see `keyDigest`. */
  readonly digest: string;
  /** By power of ten: "0" for empty objects, "1" for 1 to 9 bytes, "2" for 10 to 99, … */
  readonly sizes: GroupCounts;
  /** By age at the start of the run. */
  readonly ages: GroupCounts;
  readonly storageClasses: GroupCounts;
  /** By the first path segment behind the prefix; " none" for keys without one. */
  readonly segments: GroupCounts;
  /** By extension in lower case; " none" for keys without one. */
  readonly extensions: GroupCounts;
  /** Largest first. */
  readonly largest: readonly { readonly key: string; readonly size: number }[];
}

const dayMs = 24 * 60 * 60 * 1000;

/** Upper ends of the age groups, in days. */
export const ageDays = [1, 7, 30, 90, 365, 3 * 365] as const;

/** Groups kept of each kind while a slice is worked on; a slice is a key range, so it has few first segments. */
const maxSegments = 64;
const maxExtensions = 64;

/** Extensions are short; anything longer is a name with a dot in it. */
const maxExtensionLength = 12;

const noGroup = ' none';

/**
 * The built-in processor: what is there. Counts are exact; of very many groups the largest are named.
 *
 * @param options.largest objects named, 0 to 1,000. @default 10
 * @throws UsageError
 */
export function inventory(options: { readonly largest?: number } = {}): Processor<InventoryPartial> {
  const maxLargest = options.largest ?? 10;
  checkWholeNumber('largest', maxLargest, 0, 1_000);
  return {
    // Write units for a few KB cost less than a PUT.
    inlineBytes: 16_000,
    empty: () => emptyInventory,
    process: (page) => takeInventory(page, maxLargest),
    merge: (a, b) => ({
      objects: a.objects + b.objects,
      bytes: a.bytes + b.bytes,
      digest: addDigests(a.digest, b.digest),
      sizes: mergeGroups(a.sizes, b.sizes),
      ages: mergeGroups(a.ages, b.ages),
      storageClasses: mergeGroups(a.storageClasses, b.storageClasses),
      segments: mergeGroups(a.segments, b.segments),
      extensions: mergeGroups(a.extensions, b.extensions),
      largest: pickLargest([...a.largest, ...b.largest], maxLargest),
    }),
    compact: (partial) => ({
      ...partial,
      segments: compactGroups(partial.segments, maxSegments),
      extensions: compactGroups(partial.extensions, maxExtensions),
    }),
  };
}

const emptyInventory: InventoryPartial = {
  objects: 0,
  bytes: 0,
  digest: emptyDigest,
  sizes: {},
  ages: {},
  storageClasses: {},
  segments: {},
  extensions: {},
  largest: [],
};

function takeInventory(page: ScanPage, maxLargest: number): InventoryPartial {
  const digest = new KeyDigest();
  const [sizes, ages, storageClasses, segments, extensions] = Array.from(
    { length: 5 },
    () => new GroupCounter(),
  );
  let bytes = 0;
  for (const { key, size, lastModifiedMs, storageClass } of page.objects) {
    bytes += size;
    digest.add(key);
    sizes!.add(size === 0 ? '0' : String(String(size).length), size);
    ages!.add(ageGroup(page.startedAtMs - lastModifiedMs), size);
    storageClasses!.add(storageClass, size);
    segments!.add(firstSegment(key, page.prefix), size);
    extensions!.add(readExtension(key), size);
  }
  return {
    objects: page.objects.length,
    bytes,
    digest: digest.hex(),
    sizes: sizes!.counts(),
    ages: ages!.counts(),
    storageClasses: storageClasses!.counts(),
    segments: segments!.counts(),
    extensions: extensions!.counts(),
    largest: pickLargest(page.objects, maxLargest),
  };
}

function ageGroup(ageMs: number): string {
  const days = ageDays.find((end) => ageMs < end * dayMs);
  return days === undefined ? 'older' : `< ${days} d`;
}

function firstSegment(key: string, prefix: string): string {
  const end = key.indexOf('/', prefix.length);
  return end < 0 ? noGroup : groupName(key.slice(prefix.length, end));
}

function readExtension(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const extension = dot <= 0 ? '' : name.slice(dot + 1);
  return extension === '' || extension.length > maxExtensionLength ? noGroup : extension.toLowerCase();
}

/** The same ones whatever the order of merging: ties are broken by the key. */
function pickLargest(objects: readonly Pick<ScanObject, 'key' | 'size'>[], most: number) {
  return objects
    .map(({ key, size }) => ({ key, size }))
    .sort((a, b) => b.size - a.size || compareKeys(a.key, b.key))
    .slice(0, most);
}

/** Objects and bytes of one group. */
export type GroupCount = readonly [objects: number, bytes: number];

/** Counts by name. Names of our own making begin with a space, so that no real one is mistaken for them. */
export type GroupCounts = Readonly<Record<string, GroupCount>>;

/** Where groups go that there is no room for. */
export const otherGroups = ' other';

/** A name in storable length. */
const maxNameLength = 40;

/** A group's name, shortened in the same way everywhere. */
function groupName(name: string): string {
  const characters = [...name];
  return characters.length <= maxNameLength ? name : `${characters.slice(0, maxNameLength - 1).join('')}…`;
}

/** Counts groups in place: for the keys of one page. */
class GroupCounter {
  readonly #counts = new Map<string, [number, number]>();

  add(name: string, bytes: number): void {
    const count = this.#counts.get(name);
    if (count) {
      count[0] += 1;
      count[1] += bytes;
    } else this.#counts.set(name, [1, bytes]);
  }

  counts(): GroupCounts {
    return fromEntries(this.#counts);
  }
}

/** Sums by name: associative and commutative, nothing is dropped. */
function mergeGroups(a: GroupCounts, b: GroupCounts): GroupCounts {
  const sums = new Map(Object.entries(a));
  for (const [name, count] of Object.entries(b)) sums.set(name, added(sums.get(name), count));
  return fromEntries(sums);
}

/** The largest groups by bytes, the rest summed up as "other": totals stay exact. */
export function compactGroups(groups: GroupCounts, most: number): GroupCounts {
  const entries = Object.entries(groups).filter(([name]) => name !== otherGroups);
  if (entries.length <= most) return groups;
  entries.sort(byBytes);
  const rest = entries
    .slice(most)
    .reduce<GroupCount>((sum, [, count]) => added(sum, count), groups[otherGroups] ?? [0, 0]);
  return fromEntries([...entries.slice(0, most), [otherGroups, rest]]);
}

/** Largest first, ties by objects and name. */
export function byBytes(a: readonly [string, GroupCount], b: readonly [string, GroupCount]): number {
  return b[1][1] - a[1][1] || b[1][0] - a[1][0] || (a[0] < b[0] ? -1 : 1);
}

function added(a: GroupCount | undefined, b: GroupCount): GroupCount {
  return a ? [a[0] + b[0], a[1] + b[1]] : b;
}

/** `Object.fromEntries` defines properties, so a group called `__proto__` is one like any other. */
function fromEntries(entries: Iterable<readonly [string, GroupCount]>): GroupCounts {
  return Object.fromEntries(entries);
}
