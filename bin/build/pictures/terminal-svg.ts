/** A run of characters of one look. */
interface Run {
  readonly text: string;
  /** Where it begins, in characters. */
  readonly column: number;
  readonly colour: string;
  readonly bold: boolean;
}

const escapeCharacter = String.fromCharCode(27);
const sequences = new RegExp(`(${escapeCharacter}\\[\\d+m)`, 'u');
const sequence = new RegExp(`^${escapeCharacter}\\[(\\d+)m$`, 'u');

const glyphWidth = 8.4;
const lineHeight = 19;
const margin = 18;
const barHeight = 30;

const paper = '#15191f';
const ink = '#d6dbe1';
const dimInk = '#7d8791';
const colours: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#f2cc60',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
};

/**
 * A terminal's picture as SVG: the text stays text, in whatever monospaced font the reader has, with each run of
 * characters kept in its columns.
 *
 * @param screen lines with the escape sequences of colours
 * @param title what it is, for those who do not see it
 */
export function terminalSvg(screen: string, columns: number, title: string): string {
  const lines = screen.split('\n');
  const width = Math.ceil(columns * glyphWidth + 2 * margin);
  const height = lines.length * lineHeight + barHeight + margin;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${margin + 4 + index * 18}" cy="16" r="5.5" fill="${colour}"/>`,
  );
  const texts = lines.flatMap((line, row) => runsOf(line).map((run) => drawRun(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="9" fill="${paper}"/>`,
    ...dots,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" xml:space="preserve">',
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawRun({ text, column, colour, bold }: Run, row: number): string {
  const x = (margin + column * glyphWidth).toFixed(1);
  const y = barHeight + (row + 1) * lineHeight - 5;
  const length = ([...text].length * glyphWidth).toFixed(1);
  const weight = bold ? ' font-weight="bold"' : '';
  return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" fill="${colour}"${weight}>${escaped(text)}</text>`;
}

/** The line's pieces between escape sequences; what is only space is left out. */
function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let column = 0;
  let colour: string | undefined;
  let bold = false;
  let dim = false;
  for (const part of line.split(sequences)) {
    const code = sequence.exec(part)?.[1];
    if (code === undefined) {
      const text = part.trimEnd();
      const lead = text.length - text.trimStart().length;
      if (text.trim() !== '') {
        const look = { colour: colour ?? (dim ? dimInk : ink), bold };
        runs.push({ text: text.trimStart(), column: column + lead, ...look });
      }
      column += [...part].length;
    } else {
      const number = Number(code);
      if (number === 1) bold = true;
      else if (number === 2) dim = true;
      else if (number === 22) bold = dim = false;
      else if (number === 39) colour = undefined;
      else colour = colours[number] ?? colour;
    }
  }
  return runs;
}

/** For text and attributes of XML. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
