import { type Excuse, toKey } from './compare.js';
import type { Score, Survivor } from './report.js';

const [begin, end] = ['<!-- figures: written by npm run mutation -->', '<!-- end of the figures -->'];

/** The page with new figures in it. @throws Error if it has no place for them */
export function withFigures(
  page: string,
  scores: readonly Score[],
  survivors: readonly Survivor[],
  excuses: readonly Excuse[],
): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('the page has no place for the figures');
  const figures = [scoreTable(scores), survivorList(survivors, excuses)].join('\n\n');
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`;
}

function scoreTable(scores: readonly Score[]): string {
  const rows = scores.map(
    ({ file, percent, detected, timedOut, survived }) =>
      `| ${file === 'all' ? '**all**' : `\`${file}\``} | ${percent.toFixed(2)} | ${detected + survived} | ${detected} | ${timedOut} | ${survived} |`,
  );
  return [
    '| file | score | mutants | noticed | of these by time-out | survived |',
    '| --- | --: | --: | --: | --: | --: |',
    ...rows,
  ].join('\n');
}

function survivorList(survivors: readonly Survivor[], excuses: readonly Excuse[]): string {
  const reasons = new Map(excuses.map((excuse) => [toKey(excuse), excuse.reason]));
  const byFile = new Map<string, string[]>();
  for (const survivor of survivors) {
    const lines = byFile.get(survivor.file) ?? [];
    byFile.set(survivor.file, lines);
    const reason = reasons.get(toKey(survivor)) ?? 'no reason yet';
    lines.push(`- ${code(survivor.from)} → ${code(survivor.to)} in ${code(survivor.line)}: ${reason}`);
  }
  if (byFile.size === 0) return 'None survived.';
  return [...byFile].map(([file, lines]) => [`### ${file}`, '', ...lines].join('\n')).join('\n\n');
}

function code(text: string): string {
  if (text === '') return 'nothing';
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
