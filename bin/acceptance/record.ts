/** What became of one thing that was looked at. */
export interface Observation {
  readonly what: string;
  readonly outcome: 'as expected' | 'NOT as expected' | 'left out';
  /** What came instead, or why it was left out. */
  readonly why?: string;
}

/** All that is looked at, in order, and what was measured. */
export class AcceptanceRecord {
  readonly findings: Observation[] = [];
  readonly measured: Record<string, number> = {};
  readonly #leftOut: ReadonlyMap<string, string>;
  readonly #tell: (line: string) => void;

  /** @param leftOut what can't be looked at here, by its name, with the reason */
  constructor(leftOut: ReadonlyMap<string, string>, tell: (line: string) => void) {
    this.#leftOut = leftOut;
    this.#tell = tell;
  }

  /** Looks at one thing. One that fails does not keep the others from being looked at; an abort does. */
  async look(what: string, look: () => Promise<void>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const reason = this.#leftOut.get(what);
    if (reason !== undefined) return this.#add({ what, outcome: 'left out', why: reason });
    try {
      await look();
      this.#add({ what, outcome: 'as expected' });
    } catch (error) {
      signal.throwIfAborted();
      const { name, message } = error as Error;
      this.#add({ what, outcome: 'NOT as expected', why: `${name}: ${message}` });
    }
  }

  get failed(): readonly Observation[] {
    return this.findings.filter(({ outcome }) => outcome === 'NOT as expected');
  }

  #add(finding: Observation): void {
    this.findings.push(finding);
    this.#tell(`${finding.outcome}: ${finding.what}${finding.why ? ` (${finding.why})` : ''}`);
  }
}

/** @throws Error that says what came, unless it is so */
export function expect(isSo: boolean, what: string, came?: unknown): asserts isSo {
  if (!isSo) throw new Error(came === undefined ? what : `${what}, got ${JSON.stringify(came)}`);
}

/** What one request costs, in US dollars, by the client's own name of its service: list prices of us-east-1, rounded up. */
const dollars: Readonly<Record<string, number>> = {
  DynamoDB: 0.625 / 1e6,
  Lambda: 0.2 / 1e6 + 0.03 * 0.5 * 0.0000133334,
  S3: 0.005 / 1e3,
  SFN: 0,
};
/** Step Functions counts transitions: those of the section's and the scan's executions, about. */
const transitions = 120;
const transitionDollars = 0.025 / 1e3;
/** The alarms and the dashboard for the fraction of a month that they live, logs, and the functions' own requests. */
const besides = 0.01;

/** What all of it costs at most, said before anything is begun. */
export const expectedDollars = 0.05;

/** A client whose requests are counted. */
interface Counted {
  readonly config: { readonly serviceId: string };
  readonly middlewareStack: { add(middleware: never, options: never): void };
}

/** Counts the requests of clients by service. */
export function countRequests(clients: readonly unknown[], counts: Map<string, number>): void {
  for (const client of clients as readonly Counted[]) {
    const { serviceId } = client.config;
    const count = (next: (args: unknown) => Promise<unknown>) => (args: unknown) => {
      counts.set(serviceId, (counts.get(serviceId) ?? 0) + 1);
      return next(args);
    };
    client.middlewareStack.add(
      count as never,
      { step: 'finalizeRequest', name: 'leaseholdAcceptanceCount' } as never,
    );
  }
}

/** Writes down what was sent from here, and what that costs, about. */
export function recordCost(counts: ReadonlyMap<string, number>, record: AcceptanceRecord): void {
  let cost = besides + transitions * transitionDollars;
  for (const [service, count] of counts) {
    record.measured[`requestsTo${service}`] = count;
    cost += count * (dollars[service] ?? 0);
  }
  record.measured.aboutDollars = Math.ceil(cost * 1_000) / 1_000;
}
