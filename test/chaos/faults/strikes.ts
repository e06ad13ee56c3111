import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import type { FaultProfileKind } from '../network/fault-profile.js';
import type { SupervisedWorker } from '../workers/supervised-worker.js';
import type { Fault, FaultKind } from './fault.js';

/** What a fault does; resolves when it is over. The signal ends it early. */
type Strike = (fault: Fault, member: SupervisedWorker, engine: Engine, signal: AbortSignal) => Promise<void>;

async function stopped({ forMs }: Fault, member: SupervisedWorker, _engine: Engine, signal: AbortSignal) {
  member.stop();
  await pause(forMs, signal);
  member.continue();
}

function faultProfile(kind: FaultProfileKind): Strike {
  return async ({ forMs, amount }, { proxies }, _engine, signal) => {
    for (const proxy of proxies) proxy.become(kind, amount);
    await pause(forMs, signal);
    // Another fault may have changed it meanwhile; its end is the one that counts.
    for (const proxy of proxies) if (proxy.faultProfile === kind) proxy.become('pass');
  };
}

/** By kind. */
export const strikes: Readonly<Record<FaultKind, Strike>> = {
  kill: ({ forMs }, member) => member.kill(forMs),
  'stop-briefly': stopped,
  'stop-past-lease': stopped,
  drop: faultProfile('drop'),
  hang: faultProfile('hang'),
  delay: faultProfile('delay'),
  reset: faultProfile('reset'),
  swallow: faultProfile('swallow'),
  'wall-step': async ({ amount }, { wallClock }) => wallClock?.step(amount),
  'wall-rate': async ({ amount, forMs }, { wallClock }, _engine, signal) => {
    wallClock?.run(amount);
    await pause(forMs, signal);
    wallClock?.run(1);
  },
  'restart-engine': ({ forMs }, _member, engine) => engine.restart(forMs),
};

async function pause(forMs: number, signal: AbortSignal): Promise<void> {
  await sleep(forMs, undefined, { signal }).catch(() => {});
}
