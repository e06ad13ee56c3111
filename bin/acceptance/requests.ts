import type { AcceptanceRecord } from './record.js';

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
