import { checkWholeNumber } from '../check-number.js';
import { addDigests, emptyDigest, KeyDigest } from '../keys/key-digest.js';
import { compareKeys } from '../keys/key-order.js';
import { compactGroups, GroupCounter, type GroupCounts, groupName, mergeGroups } from './inventory-groups.js';
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
