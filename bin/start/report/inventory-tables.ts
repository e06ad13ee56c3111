import prettyBytes from 'pretty-bytes';
import type { InventoryReport, InventoryRow } from '../../../lib/scan/index.js';
import { count } from '../progress/shown-number.js';
import type { Palette } from '../view/palette.js';
import { formatKey } from './format-key.js';
import { sideBySide } from './side-by-side.js';
import { table } from './table.js';

/** What the figures beside a name take, in columns. */
const figuresWidth = 26;
const maxGroupName = 24;
const maxLargest = 5;

/** What was found: by first path segment, by extension, and the largest objects. */
export function inventoryTables(inventory: InventoryReport, palette: Palette, width: number): string[] {
  const room = width - figuresWidth;
  const groupRoom = Math.min(room, maxGroupName);
  const largest = inventory.largest
    .slice(0, maxLargest)
    .map(({ key, size }) => [formatKey(key, room), prettyBytes(size)]);
  return [
    sideBySide(
      groups('first segment', inventory.segments, palette, groupRoom),
      groups('extension', inventory.extensions, palette, groupRoom),
      width,
    ),
    table([{ title: 'largest objects' }, { title: 'size', align: 'right' }], largest, palette),
  ];
}

function groups(title: string, rows: readonly InventoryRow[], palette: Palette, room: number): string {
  return table(
    [{ title }, { title: 'objects', align: 'right' }, { title: 'size', align: 'right' }],
    rows.map(({ name, objects, bytes }) => [formatKey(name, room), count(objects), prettyBytes(bytes)]),
    palette,
  );
}
