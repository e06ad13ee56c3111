import { VirtualWorld } from './virtual-world.js';

/** From a release to the next grant, with so many who wait. All in virtual milliseconds, by the store's writes. */
export interface GapFigures {
  readonly waiters: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly readsPerGrant: number;
  readonly writesPerGrant: number;
}

/** Plays holds of `holdMs` after one another, each passed on to one of those who wait, in line or not. Whoever was at it waits again. */
export async function playWaiting(
  waiters: number,
  { seed = 1, holdMs = 1_000, holds = 60, fair = false } = {},
): Promise<GapFigures> {
  const world = new VirtualWorld(seed);
  const gaps: number[] = [];
  let releasedAt: number | undefined;
  let grants = 0;
  let onGrant = () => {};
  world.onWrite = ({ before, after }) => {
    if (before?.leaseId && !after?.leaseId) releasedAt = world.nowMs;
    if (after?.leaseId && after.leaseId.S !== before?.leaseId?.S) {
      if (releasedAt !== undefined) gaps.push(world.nowMs - releasedAt);
      grants += 1;
      onGrant();
    }
  };
  const work = async (index: number) => {
    const process = world.process(`w${index}`);
    const locks = world.locks(process);
    await world.loop.sleep(index * 37);
    while (grants <= holds) {
      const lease = await locks.acquire('lock', { waitMs: 3_600_000, fair });
      await world.loop.sleep(holdMs);
      // Not before somebody else has it: the first write of the next call would win against all who look.
      const next = new Promise<void>((resolve) => {
        onGrant = resolve;
      });
      await lease.release();
      if (grants > holds) return;
      await next;
      await world.loop.sleep(world.random.between(0.2, 0.8) * holdMs);
    }
  };
  const all = Array.from({ length: waiters + 1 }, (_, index) => work(index));
  await world.until(Promise.race(all));
  gaps.sort((a, b) => a - b);
  return {
    waiters,
    meanMs: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length,
    p95Ms: gaps[Math.floor(0.95 * (gaps.length - 1))]!,
    readsPerGrant: world.reads / grants,
    writesPerGrant: world.writes / grants,
  };
}

/** How much of a semaphore is in use while more want it than there are permits. */
export interface SemaphoreFigures {
  /** Of the time of all permits, the part in which somebody held them, by the store's writes. 1 is ideal. */
  readonly utilisation: number;
  readonly readsPerGrant: number;
  readonly writesPerGrant: number;
}

/** Workers take a permit, hold it for `holdMs`, give it back and come again, until so many have been granted. */
export async function playSemaphore(
  permits: number,
  workers: number,
  { seed = 1, holdMs = 1_000, holds = 400 } = {},
): Promise<SemaphoreFigures> {
  const world = new VirtualWorld(seed);
  const heldSince = new Map<string, number>();
  let [grants, heldMs, firstAt] = [0, 0, 0];
  world.onWrite = ({ key, before, after }) => {
    if (before?.leaseId && !after?.leaseId) {
      heldMs += world.nowMs - heldSince.get(key)!;
      heldSince.delete(key);
    }
    if (!after?.leaseId || after.leaseId.S === before?.leaseId?.S) return;
    heldSince.set(key, world.nowMs);
    grants += 1;
    if (grants === 1) firstAt = world.nowMs;
  };
  const work = async (index: number) => {
    const semaphore = world.locks(world.process(`w${index}`)).semaphore('api', { permits });
    await world.loop.sleep(index * 37);
    while (grants < holds) {
      const lease = await semaphore.acquire({ waitMs: 3_600_000 });
      await world.loop.sleep(holdMs);
      await lease.release();
    }
  };
  await world.until(Promise.race(Array.from({ length: workers }, (_, index) => work(index))));
  for (const sinceMs of heldSince.values()) heldMs += world.nowMs - sinceMs;
  return {
    utilisation: heldMs / (permits * (world.nowMs - firstAt)),
    readsPerGrant: world.reads / grants,
    writesPerGrant: world.writes / grants,
  };
}

/** From a crash right after a grant to the next grant, as a part of the lease. */
export async function playCrash(leaseMs: number, seed: number, warmUps = 0): Promise<number> {
  const world = new VirtualWorld(seed);
  let granted = 0;
  let grantedAt = 0;
  world.onWrite = ({ before, after }) => {
    if (!after?.leaseId || after.leaseId.S === before?.leaseId?.S) return;
    granted += 1;
    if (granted === 1) grantedAt = world.nowMs;
  };
  const requestTimeoutMs = Math.min(1_000, Math.floor(leaseMs / 8));
  const options = { leaseMs, requestTimeoutMs };
  const [holder, waiter] = [world.process('holder'), world.process('waiter')];
  const [held, waited] = [world.locks(holder, options), world.locks(waiter, options)];
  for (let round = 0; round < warmUps; round++) {
    for (const locks of [held, waited]) await world.until(locks.inspect('another'));
    await world.until(world.loop.sleep(world.random.between(0, 700)));
  }
  await world.until(held.acquire('lock'));
  holder.crash();
  await world.until(waited.acquire('lock', { waitMs: 10 * leaseMs + 10_000 }));
  return (world.nowMs - grantedAt) / leaseMs;
}

/** Most renewals in a second, as a multiple of the average, of leases that were taken together. */
export async function playRenewals(leases: number, seed: number): Promise<{ most: number; average: number }> {
  const world = new VirtualWorld(seed);
  const locks = world.locks(world.process('holder'));
  await world.until(
    Promise.all(Array.from({ length: leases }, (_, index) => locks.acquire(`lock-${index}`))),
  );
  const fromMs = world.nowMs;
  const seconds = 120;
  world.writtenAt.length = 0;
  await world.until(world.loop.sleep(seconds * 1_000));
  const counts = new Array<number>(seconds).fill(0);
  for (const at of world.writtenAt) counts[Math.min(seconds - 1, Math.floor((at - fromMs) / 1_000))]! += 1;
  return { most: Math.max(...counts), average: world.writtenAt.length / seconds };
}
