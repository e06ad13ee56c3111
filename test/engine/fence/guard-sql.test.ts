import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRows, sqlFence } from '../../../lib/fence/index.js';

describe('the guard for SQL rows, on PostgreSQL', () => {
  let db: PGlite;
  beforeAll(async () => {
    // What runs once is compiled quickly rather than well: half of the test's time.
    setFlagsFromString('--liftoff-only');
    db = await PGlite.create();
    await db.exec(
      "CREATE TABLE batches (id TEXT PRIMARY KEY, state TEXT, fence BIGINT); INSERT INTO batches VALUES ('99')",
    );
  });
  afterAll(() => db?.close());

  async function settle(token: number, state: string) {
    const lease = { name: 'settlement', token };
    const fence = sqlFence(lease, { placeholder: '$1' });
    const update = `UPDATE batches SET state = $3, ${fence.set} WHERE id = $2 AND ${fence.where}`;
    const { affectedRows } = await db.query(update, [fence.value, '99', state]);
    checkRows(lease, affectedRows);
  }

  it('I3, C38: an older holder changes no row and is told so', async () => {
    // Real tokens are times in ms and more than 32 bits wide.
    await settle(1_795_966_142_004, 'by the newer');
    await expect(settle(1_795_966_142_003, 'by the older')).rejects.toMatchObject({
      name: 'StaleTokenError',
      token: 1_795_966_142_003,
    });
    await settle(1_795_966_142_004, 'again by the newer');
    const { rows } = await db.query('SELECT state FROM batches');
    expect(rows).toEqual([{ state: 'again by the newer' }]);
  });
});
