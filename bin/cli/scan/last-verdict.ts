import { GetExecutionHistoryCommand, type SFNClient } from '@aws-sdk/client-sfn';
import type { ScanVerdict } from '../../../lib/scan/index.js';

/** The state of the deployed scan that gives the verdict. */
const verifyState = 'Verify';

/** The verdict is among the last steps; further back it is not worth the requests. */
const newestEvents = 50;

/**
 * The verdict of an execution that failed. Step Functions hands on no output then, only an error and a cause, but
 * its history still has what Verify answered: the report that names the failures.
 *
 * @returns `undefined` if it failed before, or if the history may not be read
 */
export async function lastVerdict(sfn: SFNClient, executionArn: string): Promise<ScanVerdict | undefined> {
  try {
    const command = new GetExecutionHistoryCommand({
      executionArn,
      reverseOrder: true,
      maxResults: newestEvents,
      includeExecutionData: true,
    });
    const { events = [] } = await sfn.send(command);
    const verify = events.find(({ stateExitedEventDetails: left }) => left?.name === verifyState);
    const output = verify?.stateExitedEventDetails?.output;
    const verdict = (JSON.parse(output ?? 'null') as { verdict?: ScanVerdict } | null)?.verdict;
    return verdict?.report ? verdict : undefined;
  } catch {
    // The error and the cause of the execution are told instead.
    return undefined;
  }
}
