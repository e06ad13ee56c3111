import { describe, expect, it } from 'vitest';
import { type Processor, withLedger } from '../../../lib/scan/index.js';
import { VirtualTime } from '../../support/virtual-time.js';

describe('the ledger', () => {
  it('D43 a row whose client never answers fails the page, and holds no seat for ever', async () => {
    const time = new VirtualTime();
    const counting: Processor<number> = { empty: () => 0, process: async () => 1, merge: (a, b) => a + b };
    const client = { send: () => new Promise<never>(() => {}) };
    const { process } = withLedger(counting, { client, table: 'ledger' });
    const page = { run: 'r', number: 1, sliceName: 's', lastKey: 'k' };
    const context = { lease: { name: 's', token: 7 }, runtime: time };
    const written = Promise.resolve(process(page as never, context as never));
    await expect(time.until(written)).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
