import { checkLockName } from '../../../lib/client/lock-name.js';
import { print, printJson } from '../../terminal/output.js';
import { type Column, textTable } from '../../terminal/text-table.js';
import type { GlobalOptions } from '../connection.js';
import { connect } from '../connection.js';
import { clockFinding, type Finding, permissionFindings, tableReport, tokenFinding } from './findings.js';

/** What `leasehold doctor` takes. */
export interface DoctorOptions extends GlobalOptions {
  /** A lock that this identity may use, where it may not use all. */
  readonly name?: string;
}

/**
 * Looks at all that leases need and says what is wrong with it. Changes nothing.
 *
 * @returns the exit code: 1 when something is wrong
 * @throws UsageError if the name is none
 */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { table, name } = options;
  if (name !== undefined) checkLockName(name);
  await using connection = await connect(options);
  const { dynamo, locks } = connection;
  const { clock, runtime } = locks.context;
  const { findings: ofTable, reachable } = await tableReport(dynamo, table);
  const findings: Finding[] = [...ofTable];
  if (reachable) {
    findings.push(...(await permissionFindings(dynamo, table, clock, name)));
    findings.push(await tokenFinding(locks.context));
    findings.push(clockFinding(clock, runtime.wallMs()));
  }
  const healthy = findings.every(({ status }) => status !== 'wrong');
  if (options.json) printJson({ table, healthy, findings });
  else print(textTable(columns, findings.map(row), 'plain'));
  return healthy ? 0 : 1;
}

const columns: readonly Column[] = [{ title: 'STATUS' }, { title: 'CHECK' }, { title: 'FINDING' }];

function row({ status, check, message }: Finding): string[] {
  return [status === 'wrong' ? 'WRONG' : status, check, message];
}
