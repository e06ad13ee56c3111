/** A line in CloudWatch's embedded metric format. */
interface EmbeddedMetrics {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

/** A line of Powertools' logger. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly service: string;
  readonly [key: string]: unknown;
}

/** A metric with all of its values, as CloudWatch would read them. */
export interface ReadMetric {
  readonly namespace: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
  readonly unit: string;
  readonly values: readonly number[];
}

/** What functions wrote to standard output, read as CloudWatch does. */
export class ObservedOutput {
  readonly #lines: string[] = [];

  /** For `onOutput` of a local Lambda. */
  readonly take = (_environment: unknown, line: string): void => {
    this.#lines.push(line);
  };

  /** Every line. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** The lines of the logger. */
  get logs(): readonly LogLine[] {
    return this.#parsed().filter((line): line is LogLine => 'level' in line);
  }

  /** How many lines of metrics there are. */
  get flushes(): number {
    return this.#embedded().length;
  }

  /** All metrics by name. */
  get metrics(): Readonly<Record<string, ReadMetric>> {
    const read: Record<string, ReadMetric> = {};
    for (const line of this.#embedded()) {
      for (const { Namespace, Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
        for (const { Name, Unit } of Metrics) {
          read[Name] = {
            namespace: Namespace,
            dimensions: Object.fromEntries(Dimensions.flat().map((name) => [name, line[name]])),
            unit: Unit,
            values: [...(read[Name]?.values ?? []), ...[line[Name] as number | number[]].flat()],
          };
        }
      }
    }
    return read;
  }

  /** The sums of the counts, by name. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      Object.entries(this.metrics)
        .filter(([, { unit }]) => unit === 'Count')
        .map(([name, { values }]) => [name, values.reduce((sum, value) => sum + value, 0)]),
    );
  }

  #embedded(): readonly EmbeddedMetrics[] {
    return this.#parsed().filter((line): line is EmbeddedMetrics => '_aws' in line);
  }

  /** Each must be one object; what is not would be a line that nobody can search. */
  #parsed(): readonly Record<string, unknown>[] {
    return this.#lines.map((line) => JSON.parse(line));
  }
}
