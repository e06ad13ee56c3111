import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anyItem, anySeen } from '../../support/lease/any-item.js';
import { checkItem } from '../../support/lease/check-item.js';
import { checkProperty } from '../../support/property.js';
import { simulatedNow, simulatedTable } from '../../support/simulated-table.js';

describe('any item that an acquire may come upon, in the simulated table', () => {
  it('is granted, or not, as the protocol says; what others wrote is never touched', async () => {
    const place = simulatedTable();
    let names = 0;
    await checkProperty(
      fc.asyncProperty(anyItem(simulatedNow), anySeen, async (attributes, seenLeaseId) => {
        await checkItem(place, { ...attributes, name: { S: `item-${++names}` } }, seenLeaseId);
      }),
    );
  });
});
