/**
 * Milliseconds of the machine's monotonic clock. All processes of one machine share it, and no fault touches it:
 * the one clock by which a history of several processes can be put in order.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
