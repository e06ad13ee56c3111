/** What is measured in a process of its own, bundled, since a TypeScript loader makes code slower: one JSON list of rows. */
import type { Row } from './row.js';

const [, , group = '', rounds = ''] = process.argv;

async function measure(): Promise<readonly Row[]> {
  switch (group) {
    case 'cycle':
      return (await import('./cycle.js')).cycleRows(Number(rounds));
    case 'once':
      return (await import('./once.js')).onceRows(Number(rounds));
    case 'throughput':
      return (await import('./throughput.js')).throughputRows(Number(rounds));
    case 'heap':
      return (await import('./heap.js')).heapRows(Number(rounds));
    case 'waiting':
      return (await import('./waiting-rows.js')).waitingRows();
    default:
      throw new Error(`"${group}" is no part of the bench`);
  }
}

console.log(JSON.stringify(await measure()));
process.exit(0);
