import { parseArgs } from 'node:util';

/** How the acceptance is run. */
export interface AcceptanceOptions {
  readonly yes: boolean;
  readonly json: boolean;
  readonly keep: boolean;
  /** Another address of all of AWS: an emulator's. */
  readonly endpoint: string | undefined;
  /** Starts an emulator here, and ends it. */
  readonly emulator: boolean;
  readonly region: string | undefined;
  readonly objects: number;
}

export const usage = `npm run acceptance -- [options]

Deploys a throw-away stack into the account that the AWS SDK finds, looks whether all does there what it should, measures,
and removes everything.

  --yes             do not ask before
  --json            one object on stdout in the end
  --endpoint <url>  an emulator in place of AWS; what it is known to lack is left out by name
  --emulator         the same, over one that is installed by pip, started and ended here; skipped where that can't be
  --region <name>   default: as the AWS SDK finds it
  --objects <n>     how many objects are put and scanned, 1 to 100000 (default 400)
  --keep            leave the stack there in the end, and say how to remove it`;

/** @throws Error that names the option and what it may be */
export function acceptanceOptions(args: readonly string[]): AcceptanceOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      emulator: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      endpoint: { type: 'string' },
      region: { type: 'string' },
      objects: { type: 'string', default: '400' },
    },
  });
  if (values.help) return 'help';
  const objects = Number(values.objects);
  if (!Number.isInteger(objects) || objects < 1 || objects > 100_000) {
    throw new Error(`--objects: must be a whole number from 1 to 100000, got "${values.objects}"`);
  }
  if (values.endpoint !== undefined && !/^https?:\/\/[^/]+\/?$/.test(values.endpoint)) {
    throw new Error(`--endpoint: must be an address such as http://127.0.0.1:4566, got "${values.endpoint}"`);
  }
  if (values.emulator && (values.endpoint !== undefined || values.keep)) {
    throw new Error('--emulator: goes neither with --endpoint nor with --keep, as it ends here');
  }
  const { yes, json, keep, endpoint, emulator, region } = values;
  return { yes, json, keep, endpoint, emulator, region, objects };
}
