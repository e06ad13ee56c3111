import type { Command } from 'commander';
import type { Outcome } from '../exit-codes.js';
import type { DoctorOptions } from './doctor.js';

/** `leasehold doctor`: what is wrong with the table, the permissions or the clock. */
export function addDoctor(program: Command, outcome: Outcome): void {
  program
    .command('doctor')
    .description('check the table, its Time to Live, the permissions and the clock; changes nothing')
    .option('--name <lock>', 'a lock that may be used, where the policy does not allow all')
    .addHelpText(
      'after',
      `
Exit codes: 0 nothing is wrong, 1 something is.

Example:
  $ leasehold doctor --table leases --region eu-central-1`,
    )
    .action(async (_options, self: Command) => {
      // Loaded here only, as all that takes longer to load than to say.
      const { doctor } = await import('./doctor.js');
      outcome.exitCode = await doctor(self.optsWithGlobals<DoctorOptions>());
    });
}
