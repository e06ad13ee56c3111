import { checkWholeNumber } from '../check-number.js';
import {
  ageDays,
  byBytes,
  compactGroups,
  type GroupCount,
  type GroupCounts,
  type InventoryPartial,
  otherGroups,
} from './inventory.js';

/** A row of a table. */
export interface InventoryRow {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
}

/** An inventory as tables. */
export interface InventoryReport {
  readonly objects: number;
  readonly bytes: number;
  readonly digest: string;
  /** Smallest first. */
  readonly sizes: readonly InventoryRow[];
  /** Youngest first. */
  readonly ages: readonly InventoryRow[];
  readonly storageClasses: readonly InventoryRow[];
  /** Most bytes first, "(other)" last. */
  readonly segments: readonly InventoryRow[];
  readonly extensions: readonly InventoryRow[];
  readonly largest: readonly { readonly key: string; readonly size: number }[];
}

/**
 * An inventory as sorted tables.
 *
 * @param top rows of the tables that could be long
 * @throws UsageError unless `top` is a whole number
 */
export function inventoryReport(partial: InventoryPartial, top = 20): InventoryReport {
  checkWholeNumber('top', top, 0);
  const { objects, bytes, digest, largest } = partial;
  return {
    objects,
    bytes,
    digest,
    // Keys that are numbers are in their order in any object.
    sizes: Object.entries(partial.sizes).map(([digits, count]) => row(sizeLabel(digits), count)),
    ages: Object.entries(partial.ages)
      .sort(([a], [b]) => ageRank(a) - ageRank(b))
      .map(([name, count]) => row(shown(name), count)),
    storageClasses: largestRows(partial.storageClasses, top),
    segments: largestRows(partial.segments, top),
    extensions: largestRows(partial.extensions, top),
    largest,
  };
}

function largestRows(groups: GroupCounts, top: number): InventoryRow[] {
  return Object.entries(compactGroups(groups, top))
    .sort((a, b) => Number(a[0] === otherGroups) - Number(b[0] === otherGroups) || byBytes(a, b))
    .map(([name, count]) => row(shown(name), count));
}

function row(name: string, [objects, bytes]: GroupCount): InventoryRow {
  return { name, objects, bytes };
}

/** Names of our own making begin with a space. */
function shown(name: string): string {
  return name.startsWith(' ') ? `(${name.slice(1)})` : name;
}

function sizeLabel(digits: string): string {
  return digits === '0' ? '0 B' : `< 10^${digits} B`;
}

function ageRank(name: string): number {
  const index = ageDays.findIndex((days) => name === `< ${days} d`);
  return index < 0 ? ageDays.length : index;
}
