import { UsageError } from '../errors/index.js';
import { LineFullError } from '../errors/refusals.js';
import { all, any, type Condition, type ItemTable, type StoredItem } from '../table/index.js';

/** A waiter's place in a line. */
export interface Ticket {
  readonly id: string;
  /** Store time in milliseconds: until then the waiter waits. */
  readonly deadline: number;
}

/**
 * The lines of waiters (kit page, section 7). A line orders who tries; it never decides who holds a lock, whose item
 * and conditions it does not touch. A broken line costs time.
 */
export interface LineStore {
  /** The tickets of a line, first come first, those past their deadline among them. */
  readLine(name: string, signal?: AbortSignal): Promise<readonly Ticket[]>;
  /**
   * Appends a ticket, once.
   *
   * @throws LineFullError when the line has its most tickets
   */
  joinLine(name: string, ticket: Ticket, signal?: AbortSignal): Promise<void>;
  /** Takes a ticket out. One that is not there is out. */
  leaveLine(name: string, ticket: Pick<Ticket, 'id'>, signal?: AbortSignal): Promise<void>;
}

/** So many tickets make an item of some 6 KB. */
export const maxTickets = 100;
/** A list moves while somebody leaves it: further tries, each after a read. */
const maxMoves = 5;
/** No lock's name can hold a control character: no line is anybody's lock. */
const suffix = '\u001fline';
/** A line that nobody uses is gone a day after its last ticket's deadline. */
const keptSeconds = 86_400;

/** The key of the item that holds a lock's line. */
export function lineName(name: string): string {
  return `${name}${suffix}`;
}

/** How many stand in the line of which lock, if the item is a line. */
export function readLineItem(
  item: StoredItem,
): { readonly name: string; readonly inLine: number } | undefined {
  const { name: key, tickets } = item;
  if (typeof key !== 'string' || !key.endsWith(suffix) || !Array.isArray(tickets)) return undefined;
  return { name: key.slice(0, -suffix.length), inLine: tickets.length };
}

/** Lines straight in a table: an item each, beside their locks'. */
export class TableLines implements LineStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async readLine(name: string, signal?: AbortSignal): Promise<readonly Ticket[]> {
    const item = await this.#table.get(lineName(name), signal);
    return parseTickets(name, item?.tickets);
  }

  async joinLine(name: string, ticket: Ticket, signal?: AbortSignal): Promise<void> {
    const text = toText(ticket);
    const answer = await this.#table.update(
      lineName(name),
      {
        set: { ttl: Math.ceil(ticket.deadline / 1000) + keptSeconds },
        compute: {
          tickets: {
            text: 'list_append(if_not_exists(#tickets, :none), :mine)',
            values: { ':none': [], ':mine': [text] },
          },
        },
        condition: any(isNoLine, all(notInLine(text), hasRoom)),
      },
      signal,
    );
    if (answer.applied) return;
    const tickets = parseTickets(
      name,
      answer.item?.tickets ?? (await this.readLine(name, signal)).map(toText),
    );
    // An earlier attempt of this very write stands there.
    if (tickets.some(({ id }) => id === ticket.id)) return;
    throw new LineFullError(name, maxTickets);
  }

  async leaveLine(name: string, ticket: Pick<Ticket, 'id'>, signal?: AbortSignal): Promise<void> {
    for (let moves = 0; moves < maxMoves; moves++) {
      const tickets = await this.readLine(name, signal);
      const place = tickets.findIndex(({ id }) => id === ticket.id);
      if (place < 0) return;
      const condition = standsAt(place, toText(tickets[place]!));
      const { applied } = await this.#table.update(
        lineName(name),
        { remove: [`tickets[${place}]`], condition },
        signal,
      );
      if (applied) return;
    }
    // The line moves so fast that nobody stands in it for long: the ticket ages out.
  }
}

/** Nobody waits, and nothing of somebody else's stands under the key. */
const isNoLine: Condition = { text: 'attribute_not_exists(#name)' };

/** A repeated join finds its own ticket. */
const notInLine = (ticket: string): Condition => ({
  text: 'NOT contains(#tickets, :ticket)',
  values: { ':ticket': ticket },
});

const hasRoom: Condition = { text: 'size(#tickets) < :maxTickets', values: { ':maxTickets': maxTickets } };

/** The list has not moved since it was read. */
const standsAt = (place: number, ticket: string): Condition => ({
  text: `#tickets[${place}] = :ticket`,
  values: { ':ticket': ticket },
});

function toText({ deadline, id }: Ticket): string {
  return `${Math.ceil(deadline)} ${id}`;
}

function parseTickets(name: string, stored: unknown): readonly Ticket[] {
  if (stored === undefined) return [];
  if (!Array.isArray(stored))
    throw new UsageError(`What stands under the key of the line of "${name}" is no line`, name);
  return stored.map((text) => {
    const [, deadline, id] = /^(\d+) (.+)$/.exec(String(text)) ?? [];
    if (id === undefined)
      throw new UsageError(`The line of "${name}" holds what is no ticket: ${String(text)}`, name);
    return { deadline: Number(deadline), id };
  });
}
