import { escaped } from './terminal-svg.js';

/** The stopped worker's story, as a run told it. */
export interface Takeover {
  readonly slice: string;
  readonly first: { readonly pid: number; readonly token: number };
  readonly second: { readonly pid: number; readonly token: number };
}

const width = 860;
const lanes = { first: 130, table: 330, second: 530, data: 730 };
const top = 96;
const rowHeight = 58;

const paper = '#ffffff';
const ink = '#1f2328';
const faint = '#8c959f';
const good = '#1a7f37';
const bad = '#cf222e';
const held = '#0969da';

type Lane = keyof typeof lanes;

/**
 * A fenced takeover as a picture: who holds which token when, and which write is refused.
 *
 * @param takeover what really happened in a run; tokens and process ids are shown as they were
 */
export function takeoverSvg({ slice, first, second }: Takeover): string {
  const rows: string[] = [];
  const y = () => top + rows.length * rowHeight + 34;
  const add = (...parts: string[]) => void rows.push(parts.join('\n'));
  add(arrow('first', 'table', y(), `acquire: token ${first.token}`, good));
  add(arrow('first', 'data', y(), `write under ${first.token}: accepted`, good));
  add(note('first', y(), ['stopped by the system;', 'its lease runs out'], faint));
  add(arrow('second', 'table', y(), `take over: token ${second.token}`, good));
  add(arrow('second', 'data', y(), `write under ${second.token}`, good));
  add(note('first', y(), ['wakes up, and thinks', 'that it holds the lock'], faint));
  add(arrow('first', 'data', y(), `write under ${first.token}: refused, ${second.token} was here`, bad));
  const bottom = top + rows.length * rowHeight + 24;
  const row = (index: number) => top + index * rowHeight + 34;
  const spans = [
    span('first', row(0), row(2) + 8, held),
    span('first', row(5) - 8, row(6) + 12, bad),
    span('second', row(3), row(6) + 12, held),
  ];
  const title = `A fenced takeover: worker ${first.pid} is stopped past its lease, worker ${second.pid} goes on, and what the first one writes afterwards is refused`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 20}" viewBox="0 0 ${width} ${bottom + 20}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    '<defs>',
    ...[good, bad].map(
      (colour) =>
        `<marker id="${markerId(colour)}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="${colour}"/></marker>`,
    ),
    '</defs>',
    `<rect width="${width}" height="${bottom + 20}" rx="9" fill="${paper}" stroke="#d0d7de"/>`,
    '<g font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif" font-size="13">',
    ...head('first', `worker ${first.pid}`, `holds slice ${slice} first`),
    ...head('table', 'lease table', 'one item per lock'),
    ...head('second', `worker ${second.pid}`, 'takes over'),
    ...head('data', 'your data', 'remembers the token'),
    ...Object.values(lanes).map(
      (x) =>
        `<line x1="${x}" y1="${top - 18}" x2="${x}" y2="${bottom}" stroke="#d0d7de" stroke-dasharray="3 4"/>`,
    ),
    ...spans,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function head(lane: Lane, name: string, what: string): string[] {
  return [
    `<text x="${lanes[lane]}" y="44" text-anchor="middle" font-weight="bold" font-size="15" fill="${ink}">${escaped(name)}</text>`,
    `<text x="${lanes[lane]}" y="63" text-anchor="middle" fill="${faint}">${escaped(what)}</text>`,
  ];
}

/** When somebody believes to hold the lock: rightly, or not. */
function span(lane: Lane, from: number, to: number, colour: string): string {
  return `<rect x="${lanes[lane] - 4}" y="${from}" width="8" height="${to - from}" rx="4" fill="${colour}" fill-opacity="0.75"/>`;
}

function arrow(from: Lane, to: Lane, y: number, text: string, colour: string): string {
  const side = lanes[to] > lanes[from] ? 1 : -1;
  const [x1, x2] = [lanes[from] + 6 * side, lanes[to] - 6 * side];
  return [
    `<line x1="${x1}" y1="${y}" x2="${x2}" y2="${y}" stroke="${colour}" stroke-width="2" marker-end="url(#${markerId(colour)})"/>`,
    label((x1 + x2) / 2, y - 9, text, colour, 'middle'),
  ].join('\n');
}

function note(lane: Lane, y: number, lines: readonly string[], colour: string): string {
  return lines
    .map((line, index) => label(lanes[lane] + 14, y + index * 17 - 6, line, colour, 'start'))
    .join('\n');
}

/** Text over what it crosses. */
function label(x: number, y: number, text: string, colour: string, anchor: 'start' | 'middle'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}" stroke="${paper}" stroke-width="5" paint-order="stroke">${escaped(text)}</text>`;
}

function markerId(colour: string): string {
  return `to-${colour.slice(1)}`;
}
