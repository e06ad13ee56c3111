import type { LeaseholdStackProps } from '../../lib/cdk/index.js';

/** What the app makes of its context. */
export interface AppSettings {
  readonly stackName: string;
  /** Whether cdk-nag's AwsSolutions rules are checked at synthesis. */
  readonly nag: boolean;
  readonly stack: LeaseholdStackProps;
}

const stackName = /[A-Za-z][A-Za-z0-9-]{0,127}/;
const bucketName = /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/;
const tableName = /[A-Za-z0-9_.-]{3,255}/;
const schedule = /(rate|cron|at)\([^()]+\)/;

/**
 * Reads the settings of the app from the CDK context: those that `cdk.json` keeps under `leasehold`, and over them what
 * stands beside, as `-c name=value` puts it.
 *
 * @throws Error for a setting that there is not, or a value that can't be: it names the setting, its limit and the value
 */
export function appSettings(context: Readonly<Record<string, unknown>>): AppSettings {
  const { leasehold: kept = {}, ...beside } = context;
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) {
    throw new Error(`leasehold: must be an object of settings, got ${JSON.stringify(kept)}`);
  }
  const settings = new SettingReader({ ...beside, ...unflagged(kept as Record<string, unknown>, beside) });
  const bucket = 'the name of a bucket: 3 to 63 of a-z 0-9 . -';
  const read: AppSettings = {
    stackName: settings.text('stackName', stackName, 'a name of a stack: A-Z a-z 0-9 -') ?? 'Leasehold',
    nag: settings.flag('nag') ?? false,
    stack: {
      tableName: settings.text('tableName', tableName, 'the name of a table: 3 to 255 of A-Z a-z 0-9 _ . -'),
      keep: settings.flag('keep'),
      lockService: settings.flag('lockService'),
      lockNames: settings.texts('lockNames'),
      operators: settings.flag('operators'),
      functionUrl: settings.flag('functionUrl'),
      lockConcurrency: settings.count('lockConcurrency', 1, 100_000),
      watchExecutions: settings.texts('watchExecutions'),
      bucketName: settings.text('bucketName', bucketName, bucket),
      bucketParameter: settings.flag('bucketParameter'),
      prefix: settings.text('prefix'),
      outputBucketName: settings.text('outputBucketName', bucketName, bucket),
      outputPrefix: settings.text('outputPrefix'),
      readObjects: settings.flag('readObjects'),
      seats: settings.count('seats', 1, 1_000),
      slices: settings.count('slices', 1, 10_000),
      maxConcurrency: settings.count('maxConcurrency', 1, 1_000),
      reservedConcurrency: settings.count('reservedConcurrency', 1, 100_000),
      requesterPays: settings.flag('requesterPays'),
      leaseMs: settings.count('leaseMs', 1_000, 450_000),
      schedule: settings.text('schedule', schedule, 'rate(…), cron(…) or at(…)'),
      dashboard: settings.flag('dashboard'),
      alarms: settings.flag('alarms'),
      alarmTopicArn: settings.text('alarmTopicArn', /arn:[^:]+:sns:.+/, 'the ARN of an SNS topic'),
      logs: settings.flag('logs'),
      metrics: settings.flag('metrics'),
      tracing: settings.flag('tracing'),
    },
  };
  settings.checkNoOthers();
  return read;
}

/** What is kept, unless something of the name stands beside it. CDK's own keys are none of the settings. */
function unflagged(kept: Readonly<Record<string, unknown>>, beside: Readonly<Record<string, unknown>>) {
  const odd = Object.keys(kept).find((name) => !/^[A-Za-z0-9]+$/.test(name));
  if (odd !== undefined) throw new Error(`leasehold.${odd}: there is no such setting`);
  return Object.fromEntries(Object.entries(kept).filter(([name]) => beside[name] === undefined));
}

/**
 * What to tell of settings that only this call of the command line knows: the next call without them would take back
 * what they made.
 *
 * @param fileContext the context that `cdk.json` keeps
 */
export function forgottenSettings(
  context: Readonly<Record<string, unknown>>,
  fileContext: Readonly<Record<string, unknown>>,
): string | undefined {
  const names = Object.keys(context).filter(
    (name) => /^[A-Za-z0-9]+$/.test(name) && name !== 'leasehold' && fileContext[name] === undefined,
  );
  if (names.length === 0) return undefined;
  return `${names.join(', ')}: given on the command line only; a plain \`npx cdk diff\` or \`deploy\` will not know. To keep them, write them to cdk.json, under context.leasehold`;
}

/** Reads settings of the CDK context: text from the command line (`-c seats=4`), or what `cdk.json` holds. */
class SettingReader {
  readonly #context: Readonly<Record<string, unknown>>;
  readonly #asked = new Set<string>();

  constructor(context: Readonly<Record<string, unknown>>) {
    this.#context = context;
  }

  /** @throws Error unless the setting is absent, or text of which all matches */
  text(name: string, form: RegExp = /.+/su, inWords = 'text that is not empty'): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && form.exec(value)?.[0] === value) return value;
    throw wrong(name, inWords, value);
  }

  /** @throws Error unless the setting is absent, `true` or `false` */
  flag(name: string): boolean | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw wrong(name, 'true or false', value);
  }

  /** @throws Error unless the setting is absent or a whole number within the limits */
  count(name: string, least: number, most: number): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (Number.isInteger(number) && (number as number) >= least && (number as number) <= most)
      return number as number;
    throw wrong(name, `a whole number from ${least} to ${most}`, value);
  }

  /** @throws Error unless the setting is absent, texts with commas between them, or a list of texts */
  texts(name: string): readonly string[] | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const texts = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
    const are = Array.isArray(texts) && texts.length > 0;
    if (are && texts.every((one) => typeof one === 'string' && one !== '')) return texts;
    throw wrong(name, 'texts with commas between them', value);
  }

  /**
   * Whatever was not asked for is a mistake: a setting that is spelled wrongly would count for nothing. CDK's own keys
   * (flags, look-ups) have a character in them that no setting has.
   *
   * @throws Error that names the settings that there are
   */
  checkNoOthers(): void {
    const other = Object.keys(this.#context).find(
      (key) => /^[A-Za-z0-9]+$/.test(key) && !this.#asked.has(key),
    );
    if (other === undefined) return;
    throw new Error(`${other}: there is no such setting; there are ${[...this.#asked].sort().join(', ')}`);
  }

  #value(name: string): unknown {
    this.#asked.add(name);
    return this.#context[name] ?? undefined;
  }
}

function wrong(name: string, limit: string, value: unknown): Error {
  return new Error(`${name}: must be ${limit}, got ${JSON.stringify(value)?.slice(0, 200)}`);
}
