/** Objects and bytes of one group. */
export type GroupCount = readonly [objects: number, bytes: number];

/** Counts by name. Names of our own making begin with a space, so that no real one is mistaken for them. */
export type GroupCounts = Readonly<Record<string, GroupCount>>;

/** Where groups go that there is no room for. */
export const otherGroups = ' other';

/** A name in storable length. */
const maxNameLength = 40;

/** A group's name, shortened in the same way everywhere. */
export function groupName(name: string): string {
  const characters = [...name];
  return characters.length <= maxNameLength ? name : `${characters.slice(0, maxNameLength - 1).join('')}…`;
}

/** Counts groups in place: for the keys of one page. */
export class GroupCounter {
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
export function mergeGroups(a: GroupCounts, b: GroupCounts): GroupCounts {
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
