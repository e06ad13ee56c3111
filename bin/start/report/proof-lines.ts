import { count } from '../progress/shown-number.js';
import type { Check } from '../proof/proof.js';
import type { Palette } from '../view/palette.js';

/** The proof: each claim with a sign, and its figures. */
export function proofLines(checks: readonly Check[], independentCount: number, palette: Palette): string {
  const lines = checks.map(({ claim, holds, figures }) => {
    const sign = holds ? palette.green('✓') : palette.red('✗');
    return ` ${sign} ${claim}\n   ${palette.dim(figures)}`;
  });
  const verdict = checks.every(({ holds }) => holds)
    ? palette.green(` complete: ${count(independentCount)} objects, each in exactly one result`)
    : palette.red(' NOT complete');
  return [palette.bold(' proof'), ...lines, '', palette.bold(verdict)].join('\n');
}
