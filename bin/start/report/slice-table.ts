import { formatSlice } from '../progress/format-slice.js';
import { count } from '../progress/shown-number.js';
import type { SliceEvidence } from '../proof/slice-evidence.js';
import type { Palette } from '../view/palette.js';
import { formatKey } from './format-key.js';
import { table } from './table.js';

/** Rows that are shown; of more slices those that changed hands come first. */
const maxRows = 12;
/** What the figures beside a slice's bound take, in columns. */
const figuresWidth = 62;

/** The slices with their tokens, in key order. */
export function sliceTable(slices: readonly SliceEvidence[], palette: Palette, width: number): string {
  const telling = [...slices].sort((a, b) => b.takeovers - a.takeovers).slice(0, maxRows);
  const shown = slices.filter((slice) => telling.includes(slice));
  const rows = shown.map((slice) => [
    formatSlice(slice.id),
    slice.hi === undefined ? '(the end)' : formatKey(slice.hi, width - figuresWidth),
    count(slice.objects),
    count(slice.pages),
    String(slice.token),
    slice.takeovers > 0 ? String(slice.takeovers) : '',
  ]);
  const text = table(
    [
      { title: 'slice' },
      { title: 'up to' },
      { title: 'objects', align: 'right' },
      { title: 'pages', align: 'right' },
      { title: 'token', align: 'right' },
      { title: 'takeovers', align: 'right' },
    ],
    rows,
    palette,
  );
  const left = slices.length - shown.length;
  return left === 0 ? text : `${text}\n${palette.dim(` and ${count(left)} more slices`)}`;
}
