import { guardUpdate } from '../../../lib/fence/index.js';
import type { Lease } from '../../../lib/lease/index.js';
import { lockChecks, violationsOf } from '../check/index.js';
import type { History, Violation } from '../history/history.js';
import type { ClientHabits } from '../lock/hold-options.js';
import { Machine } from '../lock/machine.js';
import { FrontEnds } from '../net/front-ends.js';
import { Cluster } from '../world/cluster.js';
import { Random } from '../world/random.js';
import type { Trace } from '../world/trace.js';
import type { Choices } from './choices.js';
import { type HeldMessage, HeldNetwork } from './held-network.js';

/** What a client does with the lock that it has got. */
export const seconds = ['release', 'save', 'write', 'complete'] as const;

/** A small world: how the second client asks, and what each does with the lock. */
export interface SmallCase {
  readonly supersede: boolean;
  readonly second: readonly [(typeof seconds)[number], (typeof seconds)[number]];
}

/** What may befall a run, and how often. */
export interface Budget {
  crashes: number;
  losses: number;
  doubles: number;
  pauses: number;
}

const habits: ClientHabits = {
  leaseMs: 3_000,
  renewEveryMs: 2_400,
  safetyMarginMs: 0,
  requestTimeoutMs: 200,
  maxAttempts: 2,
  pollFloorMs: 20,
  pollCeilingMs: 200,
  retentionMs: 24 * 3_600_000,
};

/** Longer than a lease, the clocks' width and all margins together. */
const pauseMs = 5_000;
/** The SDK waits for less between two attempts; nothing else is due so soon. */
const backOffMs = 60;

/** Nothing is left to chance. */
class NoChance extends Random {
  override next(): number {
    return 0.5;
  }

  override chance(): boolean {
    return false;
  }
}

/** What can happen next. */
interface Move {
  readonly told: string;
  readonly make: () => Promise<void> | void;
}

/**
 * Plays one run of a small world: two clients, one name, two operations each. What arrives next, what is lost, comes twice,
 * crashes or sleeps is chosen; time stands still but for pauses, and for what the SDK waits between attempts. While one sleeps
 * what the other sends arrives at once.
 *
 * An answer is handed over as soon as it is made. That leaves nothing out: what its client does next is to send, and when
 * that arrives is chosen; and a crash or a pause may come before the answer does.
 */
export async function playSmall(
  { supersede, second }: SmallCase,
  budget: Budget,
  choices: Choices,
  trace?: Trace,
): Promise<{ readonly history: History; readonly violations: readonly Violation[] }> {
  const { cluster, network } = makeWorld(trace);
  const clocks = { monotonicRate: 1, wallRate: 1, wallAheadMs: 0 };
  const machines = ['pa', 'pb'].map(
    (id) => new Machine(cluster, id, supersede ? 'same' : id, habits, clocks),
  );
  const settle = async () => {
    const { loop } = cluster;
    await loop.run(loop.nowMs);
    while (loop.nextAtMs <= loop.nowMs + backOffMs) await loop.run(loop.nextAtMs);
  };
  const arriveAll = async () => {
    for (let message = firstOf(network); message; message = firstOf(network)) {
      network.deliver(message, undefined);
      await settle();
    }
    network.dropDoubles();
  };
  // Each knows the time before it begins.
  for (const { locks } of machines) locks.inspect('lock/a').catch((error) => cluster.fail(error));
  await settle();
  await arriveAll();

  const left = { ...budget };
  let open = machines.length;
  /** Those that have not begun: when they do is chosen, too. */
  const beginnings = new Map<Machine, () => void>();
  for (const [index, machine] of machines.entries()) {
    const isSuperseding = supersede && index === 1;
    const end = () => {
      open -= 1;
    };
    machine.process.onCrash(end);
    beginnings.set(machine, () => {
      beginnings.delete(machine);
      act(machine, isSuperseding, second[index as 0 | 1]).then(end, (error) => cluster.fail(error));
    });
  }
  for (;;) {
    const moves = [
      ...[...beginnings]
        .filter(([{ process }]) => !process.isCrashed)
        .map(([{ process }, make]) => ({ told: `begins: ${process.id}`, make })),
      ...movesOf(cluster, network, machines, left),
    ];
    const requests = network.held.filter(({ what }) => what === 'request');
    if (requests.length === 0 && (open <= 0 || moves.every(({ told }) => told.startsWith('again')))) break;
    if (moves.length === 0) break;
    const move = moves[choices.choose(moves.length)]!;
    cluster.note('chance', move.told);
    await move.make();
    await settle();
    if (cluster.failure !== undefined) throw cluster.failure;
  }
  // What is given back in the background comes to its end, in peace.
  await arriveAll();
  cluster.loop.clear();
  if (cluster.failure !== undefined) throw cluster.failure;
  return { history: cluster.history, violations: violationsOf(cluster.history, lockChecks) };
}

function makeWorld(trace: Trace) {
  const random = new NoChance(1);
  const premises = {
    clocksHold: true,
    wallSteps: false,
    skewMs: 0,
    retentionMs: habits.retentionMs,
    isCalm: false,
    isPatient: true,
    deletedEarlyAtMs: undefined,
  };
  let network: HeldNetwork | undefined;
  const parts = (loop: Cluster['loop']) => {
    network = new HeldNetwork(loop, random);
    return { network, frontEnds: new FrontEnds(loop, random, [0]) };
  };
  const cluster = new Cluster(random, premises, 0, parts, trace);
  return { cluster, network: network! };
}

function firstOf(network: HeldNetwork): HeldMessage | undefined {
  return network.held.find(({ what }) => what === 'request');
}

/** Asks for the lock once, and does one thing with it. */
async function act(machine: Machine, supersede: boolean, second: (typeof seconds)[number]): Promise<void> {
  const { locks, cluster } = machine;
  const what = supersede ? 'acquire supersede' : 'acquire';
  const acquire = () => locks.acquire('lock/a', { supersede });
  const lease = await machine.call(what, 'lock/a', acquire, ({ leaseId }) => ({ leaseId }));
  if (!lease) return;
  machine.hold(lease);
  const known = { leaseId: lease.leaseId };
  const call = (work: () => Promise<unknown>, facts = {}) =>
    machine.call(second, 'lock/a', work, undefined, { ...known, ...facts });
  if (second === 'release' || second === 'complete') cluster.letGo(lease);
  if (second === 'release') {
    const toOutcome = (outcome: string) => ({ outcome });
    await machine.call('release', 'lock/a', () => lease.release(), toOutcome, known);
  } else if (second === 'save') {
    // In the order in which they are asked for.
    const checkpoint = cluster.history.records.length;
    await call(() => lease.save(checkpoint), { checkpoint });
  } else if (second === 'complete') await call(() => lease.complete('done'));
  else await write(machine, lease);
}

async function write(machine: Machine, lease: Lease): Promise<void> {
  const input = {
    TableName: 'data',
    Key: { id: lease.name },
    UpdateExpression: 'SET #by = :by',
    ExpressionAttributeNames: { '#by': 'by' },
    ExpressionAttributeValues: { ':by': lease.leaseId },
  };
  const known = { leaseId: lease.leaseId };
  const update = async () => machine.client.send(guardUpdate(lease, input));
  await machine.call('guardUpdate', lease.name, update, undefined, known);
}

function movesOf(
  cluster: Cluster,
  network: HeldNetwork,
  machines: readonly Machine[],
  left: Budget,
): readonly Move[] {
  const moves: Move[] = [];
  const alive = machines.filter(({ process }) => !process.isCrashed);
  const pause = async ({ process }: Machine, meanwhile = () => {}) => {
    left.pauses -= 1;
    process.pause(pauseMs);
    meanwhile();
    network.isOpen = true;
    await cluster.loop.run(cluster.loop.nowMs + pauseMs);
    network.isOpen = false;
  };
  const crash = ({ process }: Machine) => {
    left.crashes -= 1;
    process.crash();
  };
  for (const message of network.held) {
    const { what, process: id } = message;
    if (what === 'again') {
      if (left.doubles === 0) continue;
      moves.push({
        told: `again: ${id}`,
        make: () => {
          left.doubles -= 1;
          network.deliver(message, undefined);
        },
      });
      continue;
    }
    const sender = alive.find(({ process }) => process.id === id);
    moves.push({ told: `arrives: ${id}`, make: () => network.deliver(message, undefined) });
    if (!sender) continue;
    if (left.losses > 0) {
      for (const trouble of ['failed-before', 'failed-after'] as const)
        moves.push({
          told: `${trouble}: ${id}`,
          make: () => {
            left.losses -= 1;
            network.deliver(message, trouble);
          },
        });
    }
    // Before the answer: the message arrives, and nobody is there, or awake, to hear of it.
    if (left.crashes > 0)
      moves.push({
        told: `arrives, and its sender crashes: ${id}`,
        make: () => {
          crash(sender);
          network.deliver(message, undefined);
        },
      });
    if (left.pauses > 0)
      moves.push({
        told: `arrives, and its sender sleeps: ${id}`,
        make: () => pause(sender, () => network.deliver(message, undefined)),
      });
  }
  for (const machine of alive) {
    const { id } = machine.process;
    if (left.crashes > 0) moves.push({ told: `crashes: ${id}`, make: () => crash(machine) });
    if (left.pauses > 0) moves.push({ told: `sleeps: ${id}`, make: () => pause(machine) });
  }
  return moves;
}
