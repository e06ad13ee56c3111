import type { LockClientOptions } from '../../../lib/client/index.js';
import { drawClocks, type FaultProfile } from '../lock/fault-profile.js';
import type { ClientHabits } from '../lock/hold-options.js';
import { SimClient, type Transport } from '../net/sim-client.js';
import { answered, internalError, refused, type StoreAnswer } from '../store/answers.js';
import type { Cluster, Sender } from '../world/cluster.js';
import type { SimProcess } from '../world/sim-process.js';
import { Environment, type Invoked } from './environment.js';

const tooMany: StoreAnswer = { ...refused('TooManyRequestsException', 'Rate exceeded'), status: 429 };
const serviceTrouble: StoreAnswer = { ...internalError, errorName: 'ServiceException' };

/** As `InvokeCommand`, of which the transport needs no more. */
class InvokeCommand {
  readonly middlewareStack = { applyToStack() {} };
  readonly input: unknown;

  constructor(input: unknown) {
    this.input = input;
  }
}

/** The lock service's function: environments that come up as they are needed, and are frozen in between. */
export class ServicePool {
  readonly #cluster: Cluster;
  readonly #habits: ClientHabits;
  readonly #faultProfile: FaultProfile;
  #environments: Environment[] = [];
  #made = 0;

  constructor(cluster: Cluster, habits: ClientHabits, faultProfile: FaultProfile) {
    this.#cluster = cluster;
    this.#habits = habits;
    this.#faultProfile = faultProfile;
  }

  get processes(): readonly SimProcess[] {
    return this.#environments.map(({ process }) => process);
  }

  /** What a lock client of this process is made with. */
  clientOf(process: SimProcess): Pick<LockClientOptions, 'service' | 'ownerKey' | 'lambdaClient'> {
    const client = new SimClient(process, this.#habits, this.#wayOf(process));
    const invoke = (input: unknown, options?: { readonly abortSignal?: AbortSignal }) =>
      client.send(new InvokeCommand(input), options);
    // Every attempt of an owner has its key, whichever process it is in.
    const ownerKey = 'the-secret-of-all-owners';
    return { service: 'locks', ownerKey, lambdaClient: { send: client.send.bind(client), invoke } };
  }

  crashAll(): void {
    for (const { process } of this.#environments) process.crash();
  }

  #wayOf(process: SimProcess): Transport {
    const { loop, network } = this.#cluster;
    /** What comes again is a retry of the SDK's. */
    const sent = new WeakSet<object>();
    return (_, input, onReply) => {
      const fate = network.describeFate(process.id);
      const request = Buffer.from(input.Payload).toString();
      this.#recordSent(process, request, !sent.has(input));
      sent.add(input);
      const arrive = (isLate: boolean) => {
        if (isLate && this.#cluster.lateIsLost) return;
        const reply = (answer: StoreAnswer) => {
          if (isLate || fate.backMs === undefined || network.isCut(process.id, 'back')) return;
          loop.after(fate.backMs, () => process.deliver(() => onReply({ date: '', answer })));
        };
        if (fate.trouble === 'throttled') return reply(tooMany);
        if (fate.trouble === 'failed-before') return reply(serviceTrouble);
        this.#invoke({ process: process.id, isLate }, request, (invoked) =>
          reply(fate.trouble === 'failed-after' ? serviceTrouble : toAnswer(invoked)),
        );
      };
      if (fate.thereMs !== undefined) loop.after(fate.thereMs, () => arrive(false));
      if (fate.againMs !== undefined) loop.after((fate.thereMs ?? 0) + fate.againMs, () => arrive(true));
    };
  }

  #invoke(caller: Sender, request: string, onEnd: (invoked: Invoked) => void): void {
    const environment = this.#free();
    const { process } = environment;
    const { trace } = this.#cluster;
    trace &&
      this.#cluster.note(
        process.id,
        `is asked by ${caller.process}${caller.isLate ? ' LATE' : ''}: ${request}`,
      );
    this.#maybeCrash(process);
    environment.invoke(caller, request, (invoked) => {
      trace &&
        this.#cluster.note(
          process.id,
          invoked.failed ? 'fails' : `answers ${caller.process}: ${invoked.payload}`,
        );
      this.#rest(process);
      onEnd(invoked);
    });
  }

  #free(): Environment {
    this.#environments = this.#environments.filter(({ process }) => !process.isCrashed);
    const free = this.#environments.filter(({ isFree }) => isFree);
    if (free.length > 0) return this.#cluster.random.pick(free);
    const clocks = drawClocks(this.#cluster.random, this.#faultProfile.clocksHold);
    // The zero makes it a machine that freezes: its wall clock is not set back, too.
    const made = new Environment(this.#cluster, `λ0${++this.#made}`, this.#habits, clocks);
    this.#environments.push(made);
    return made;
  }

  /** In the middle of what it does: an error of the code, too little memory. */
  #maybeCrash(process: SimProcess): void {
    const { random, loop } = this.#cluster;
    if (!random.chance(this.#faultProfile.crashes)) return;
    loop.after(random.spread(0.5, 200), () => {
      if (!process.isCrashed) this.#cluster.note(process.id, 'crashes');
      process.crash();
    });
  }

  /** Between invocations an environment is frozen; one day it is thrown away. */
  #rest(process: SimProcess): void {
    const { random } = this.#cluster;
    if (this.#faultProfile.isCalm || process.isCrashed || !random.chance(0.5)) return;
    process.freeze(random.spread(10, 20_000));
  }

  /** A request about a lease, as the checkers know those to the table. */
  #recordSent(process: SimProcess, request: string, isFirst: boolean): void {
    const { leaseId, operation } = JSON.parse(request) as { leaseId?: string; operation: string };
    if (leaseId === undefined || operation === 'inspect') return;
    const { history, nowMs } = this.#cluster;
    history.records.push({
      kind: 'sent',
      atMs: nowMs,
      process: process.id,
      leaseId,
      beginsRenewal: operation === 'renew' && isFirst,
      ends: operation === 'release' || operation === 'complete' || operation === 'break',
    });
  }
}

function toAnswer({ payload, failed }: Invoked): StoreAnswer {
  return answered({ Payload: Buffer.from(payload), ...(failed && { FunctionError: 'Unhandled' }) });
}
