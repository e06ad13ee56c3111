import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type LeaseEvents, publish } from '../../../lib/events/events.js';
import { publishScan, type ScanEvents } from '../../../lib/scan/seats/scan-events.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('who subscribes to an event', () => {
  it.each([
    ['of a lease', 'lead-ended', (name: string) => publish(name as keyof LeaseEvents, {} as never)],
    ['of a scan', 'scan-foreign-item', (name: string) => publishScan(name as keyof ScanEvents, {} as never)],
  ])('%s is told, also a moment after what nobody heard was put away', async (_, name, tell) => {
    for (let round = 0; round < 20; round++) {
      tell(name);
      await sleep(0);
      collect();
      let heard = 0;
      const listener = () => void heard++;
      subscribe(`leasehold:${name}`, listener);
      await sleep(2);
      tell(name);
      unsubscribe(`leasehold:${name}`, listener);
      expect(heard).toBe(1);
    }
  });
});
