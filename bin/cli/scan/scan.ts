import { checkScanOptions, type ScanOptions } from './scan-options.js';

/**
 * `leasehold scan`.
 *
 * @returns the exit code: 0 complete, 1 failures, quarantine, or unfinished
 * @throws Interrupted after Ctrl-C; UsageError; StoreError; CommandFailure
 */
export async function scan(options: ScanOptions): Promise<number> {
  checkScanOptions(options);
  if (options.stateMachine !== undefined) {
    const { scanDeployed } = await import('./scan-deployed.js');
    return scanDeployed(options, options.stateMachine);
  }
  const { scanHere } = await import('./scan-here.js');
  return scanHere(options);
}
