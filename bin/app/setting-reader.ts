/** Reads settings of the CDK context: text from the command line (`-c seats=4`), or what `cdk.json` holds. */
export class SettingReader {
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
