import { fieldList, type TableStyle, textTable } from '../../../bin/terminal/text-table.js';
import { faultKinds, faultWords } from '../faults/fault.js';
import type { ChaosReport } from './report.js';

const count = (value: number) => value.toLocaleString('en');

/** The report for people. */
export function textReport(report: ChaosReport, style: TableStyle): string {
  return [headline(report), faultTable(report, style), figures(report), verdict(report)].join('\n\n');
}

function headline({ seed, minutes, engine, workers, interrupted }: ChaosReport): string {
  const end = interrupted ? ', interrupted' : '';
  return (
    `chaos, seed ${seed}: ${workers.at} workers (${count(workers.processesStarted)} processes) on ${engine}, ` +
    `${minutes} minutes${end}`
  );
}

function faultTable({ faults }: ChaosReport, style: TableStyle): string {
  const rows = faultKinds.map((kind) => {
    const why = faults.skipped[kind];
    return [kind, faultWords[kind], why === undefined ? count(faults.struck[kind]) : `skipped: ${why}`];
  });
  const columns = [
    { title: 'fault' },
    { title: 'what it does' },
    { title: 'struck', align: 'right' as const },
  ];
  return textTable(columns, [...rows, ['total', '', count(faults.total)]], style);
}

function figures({ locks, workloads, liveness, failures }: ChaosReport): string {
  const { hold, permit, plain, fenced, line, scan } = workloads;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, value]) => `${name} ${count(value)}`)
      .join(', ') || 'none';
  return fieldList([
    [
      'leases granted',
      `${count(locks.granted)}, ${count(locks.adopted)} of them adopted after a lost answer`,
    ],
    ['takeovers', `${count(locks.takeovers)}, ${count(locks.superseded)} of them by the same seat`],
    ['leases lost', listed(locks.lost)],
    [
      '(a) holders',
      `${count(hold.stays)} stays, asked ${count(hold.askedWhetherHeld)} times whether they hold`,
    ],
    ['(b) plain set', `${updates(plain)} LOST: what a lock without a fence is worth`],
    ['(c) fenced set', `${updates(fenced)} lost, ${count(fenced.refusedStaleWrites)} stale writes refused`],
    ['permits', `${count(permit.stays)} stays`],
    ['in line', `${count(line.turns)} turns, ${count(line.compared)} comparisons with who came before`],
    [
      '(d) scans',
      `${count(scan.scans)}, ${count(scan.complete)} complete, of ${count(scan.keysEach)} keys each; ` +
        `${count(scan.slices)} slices, ${count(scan.pages)} pages, ${count(scan.takeovers)} takeovers, ` +
        `${count(scan.splits)} splits (${count(scan.refusedSplits)} more came too late)`,
    ],
    [
      'liveness',
      liveness &&
        `all ${liveness.locks} locks acquired within ${Math.round(liveness.slowestMs)} ms of the last crash ` +
          `(bound ${count(liveness.boundMs)} ms)`,
    ],
    ['gave up', listed(failures)],
  ]);
}

function updates(set: ChaosReport['workloads']['plain']): string {
  return `${count(set.acknowledged)} updates acknowledged, ${count(set.unknown)} unknown, ${count(set.lostUpdates)}`;
}

function verdict({ violations }: ChaosReport): string {
  if (violations.length === 0) return 'violations: none';
  const each = violations.map(
    ({ kind, what, evidence }) =>
      `  ${kind}: ${what}${evidence.map((record) => `\n    ${JSON.stringify(record)}`).join('')}`,
  );
  return [`violations: ${violations.length}`, ...each].join('\n');
}
