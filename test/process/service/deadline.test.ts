import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ServiceStage } from '../../support/service/service-stage.js';

describe('an invocation whose time runs out', () => {
  it('is answered before that, with what nobody knows, by a process that lives on', async () => {
    const silent = createServer((request) => request.resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    // Less than one attempt at the table may take.
    const functions = { timeoutMs: 900 };
    const stage = await ServiceStage.open({ functions, env: { LEASEHOLD_DYNAMODB_ENDPOINT: endpoint } });
    try {
      const requests = [
        { operation: 'acquire', name: 'a', leaseId: 'lease-id-1', owner: 'o', leaseMs: 30_000 },
        { operation: 'inspect', name: 'a' },
      ];
      for (const request of requests) {
        expect(await stage.ask(request)).toMatchObject({
          ok: false,
          error: { name: 'StoreError', retryable: true },
        });
      }
      expect(stage.lambda.environments()).toHaveLength(1);
    } finally {
      await stage[Symbol.asyncDispose]();
      silent.closeAllConnections();
      silent.close();
    }
  });
});
