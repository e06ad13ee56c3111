import type { LockClient, LockClientOptions } from '../../../lib/client/index.js';
import { VirtualWorld } from '../../bench/virtual-world.js';
import '../../simulation/run/loaded.js';

/** A request on its way to the table. */
export interface Asked {
  readonly process: string;
  readonly operation: string;
  /** The key that is written or read; of a batch the first. */
  readonly key: string;
}

/** Locks of several processes over one table in virtual time, whose requests can be seen, held up and made to fail. */
export function kitScene() {
  const world = new VirtualWorld(1);
  const asked: Asked[] = [];
  const clients = new Map<string, LockClient>();
  const scene = {
    world,
    /** All that was sent, in its order; repeats by the SDK aside. */
    asked,
    /** Called before a request is sent; what it throws, or waits for, is what becomes of the request. */
    before: async (_asked: Asked): Promise<void> => {},
    /** Called with its answer on the way: what it throws is all that is heard of it. */
    after: async (_asked: Asked): Promise<void> => {},
    locks(process: string, options: Partial<LockClientOptions> = {}): LockClient {
      const known = clients.get(process);
      if (known) return known;
      const own = world.process(process);
      const client = world.client(own);
      const send = async (...args: Parameters<typeof client.send>) => {
        const request = toAsked(process, args[0]);
        asked.push(request);
        await scene.before(request);
        const answer = await client.send(...args);
        await scene.after(request);
        return answer;
      };
      const locks = world.locks(own, { client: { send } as never, ...options });
      clients.set(process, locks);
      return locks;
    },
    /** Lets time pass until the work has settled; answers what it failed with. */
    failure: (work: Promise<unknown>) => world.until(failureOf(work)),
    sleep: (ms: number) => world.until(world.loop.sleep(ms)),
    /** Somebody else's work: runs beside what is awaited later. */
    after_ms: (ms: number, work: () => unknown) => void world.loop.sleep(ms).then(work),
    /** An operator ends the lease that is there now. */
    async breakLease(name: string): Promise<void> {
      const operator = scene.locks('operator');
      const info = await world.until(operator.inspect(name));
      await world.until(operator.break(name, info!.leaseId!));
    },
    /** Whether somebody has a lease, as it stands in the table. */
    isHeld: (name: string) => world.items.get(name)?.leaseId !== undefined,
    writesOf: (process: string) =>
      asked.filter((one) => one.process === process && one.operation === 'UpdateItemCommand').length,
    readsOf: (process: string) =>
      asked.filter((one) => one.process === process && one.operation !== 'UpdateItemCommand').length,
  };
  return scene;
}

/** What work fails with; no time passes for it. */
export async function failureOf(work: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return work.then(
    () => Promise.reject(new Error('it was had')),
    (error) => error,
  );
}

/** What the table answers for a moment: nothing was done, and it passes. */
export function trouble(): Error {
  const $metadata = { httpStatusCode: 400, attempts: 1 };
  return Object.assign(new Error('too many requests'), { name: 'ThrottlingException', $metadata });
}

/** What the table answers for ever. */
export function denial(): Error {
  return Object.assign(new Error('no right'), {
    name: 'AccessDeniedException',
    $metadata: { httpStatusCode: 400 },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK's commands
function toAsked(process: string, command: any): Asked {
  const { input } = command;
  const [batch] = Object.values<{ Keys: { name: { S: string } }[] }>(input.RequestItems ?? {});
  const key = (input.Key ?? batch?.Keys[0])?.name?.S ?? '';
  return { process, operation: command.constructor.name, key };
}
