/** What StrykerJS writes, as far as it is needed here. */
export interface StrykerReport {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly StrykerMutant[] }>
  >;
}

interface StrykerMutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** From 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** A mutant that no test noticed. Told by its texts: lines move. */
export interface Survivor {
  readonly file: string;
  /** The first line of what was changed, without the space around it. */
  readonly line: string;
  /** What was changed, and into what; on one line. */
  readonly from: string;
  readonly to: string;
}

/** Counts of one file, or of all. */
export interface Score {
  readonly file: string;
  readonly detected: number;
  readonly timedOut: number;
  readonly survived: number;
  /** Of a hundred. */
  readonly percent: number;
}

/** The mutants that were not noticed, in the order of the files. */
export function survivorsOf(report: StrykerReport): Survivor[] {
  return filesOf(report).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants.filter(isUnnoticed).map(({ location: { start, end }, replacement = '' }) => ({
      file,
      line: lines[start.line - 1]!.trim(),
      from: onOneLine(textBetween(lines, start, end)),
      to: onOneLine(replacement),
    }));
  });
}

/** The counts of every file, and of all of them at the end. */
export function scoresOf(report: StrykerReport): Score[] {
  const files = filesOf(report);
  const counts = files.map(([file, { mutants }]) => scoreOf(file, mutants));
  const all = scoreOf(
    'all',
    files.flatMap(([, { mutants }]) => mutants),
  );
  return [...counts, all];
}

/** A run that tries a part only puts that part last. */
function filesOf({ files }: StrykerReport) {
  return Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
}

function scoreOf(file: string, mutants: readonly StrykerMutant[]): Score {
  const timedOut = mutants.filter(({ status }) => status === 'Timeout').length;
  const detected = mutants.filter(({ status }) => status === 'Killed').length + timedOut;
  const survived = mutants.filter(isUnnoticed).length;
  return { file, detected, timedOut, survived, percent: (100 * detected) / (detected + survived) };
}

function isUnnoticed({ status }: StrykerMutant): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  const text = lines.slice(start.line - 1, end.line).join('\n');
  return text.slice(start.column - 1, text.length - (lines[end.line - 1]!.length - end.column + 1));
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
