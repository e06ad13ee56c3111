import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../../lib/runtime/index.js';
import { type Processor, withLedger } from '../../../lib/scan/index.js';
import { directClient } from '../../support/simulation/direct-client.js';
import { VirtualTime } from '../../support/virtual-time.js';

describe('the ledger', () => {
  const processor: Processor<string> = {
    empty: () => '',
    process: async () => 'result',
    merge: (a, b) => a + b,
    inlineBytes: 7,
  };
  const pageOf = (number: number) =>
    ({ run: 'r', number, sliceName: 'scan/r/000000', lastKey: `k${number}` }) as never;
  const contextOf = (token: number) =>
    ({ lease: { name: 'scan/r/000000', token }, runtime: systemRuntime }) as never;

  it('has a row of each slice, written with its token; the result is the processor’s own', async () => {
    const client = directClient();
    const ledgered = withLedger(processor, { client: client as never, table: 'ledger' });
    expect([ledgered.inlineBytes, ledgered.empty(), ledgered.merge('a', 'b')]).toEqual([7, '', 'ab']);
    expect(await ledgered.process(pageOf(1), contextOf(7))).toBe('result');
    expect(await ledgered.process(pageOf(2), contextOf(7))).toBe('result');
    const Key = { slice: { S: 'scan/r/000000' } };
    const { Item } = await client.send(new GetItemCommand({ TableName: 'ledger', Key }));
    expect(Item).toEqual({
      ...Key,
      ...{ run: { S: 'r' }, pages: { N: '2' }, lastKey: { S: 'k2' }, fence: { N: '7' } },
    });
  });

  it('refuses a holder that was superseded, whatever its processor made of the page', async () => {
    const client = directClient();
    const { process } = withLedger(processor, { client: client as never, table: 'ledger' });
    await process(pageOf(3), contextOf(8));
    await expect(process(pageOf(2), contextOf(7))).rejects.toMatchObject({ name: 'StaleTokenError' });
  });

  it('writes no row for a page that its processor could not do', async () => {
    let sent = 0;
    const client = {
      send: async () => {
        sent += 1;
      },
    } as never;
    const broken = { ...processor, process: () => Promise.reject(new Error('a bad page')) };
    const { process } = withLedger(broken, { client, table: 'ledger' });
    await expect(process(pageOf(1), contextOf(7))).rejects.toThrow('a bad page');
    expect(sent).toBe(0);
  });

  it('D43 a row whose client never answers fails the page, and holds no seat for ever', async () => {
    const time = new VirtualTime();
    const counting: Processor<number> = { empty: () => 0, process: async () => 1, merge: (a, b) => a + b };
    const client = { send: () => new Promise<never>(() => {}) };
    const { process } = withLedger(counting, { client, table: 'ledger' });
    const page = { run: 'r', number: 1, sliceName: 's', lastKey: 'k' };
    const context = { lease: { name: 's', token: 7 }, runtime: time };
    const written = Promise.resolve(process(page as never, context as never));
    const startMs = time.monotonicMs();
    await expect(time.until(written)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(time.monotonicMs() - startMs).toBe(30_000);
  });
});
