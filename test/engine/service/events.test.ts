import { describe, expect, it } from 'vitest';
import { EventLog } from '../../support/event-log.js';
import { handlerOver, rightRequests } from '../../support/service/in-process.js';
import { useStage } from '../../support/use-stage.js';

describe('what the service tells on its diagnostics channels', () => {
  const stage = useStage();

  it('is what a client with a table would tell: grants, refusals, renewals, ends, takeovers', async () => {
    using events = new EventLog();
    const name = stage.name();
    const handle = handlerOver(stage.it.actor());
    const one = rightRequests(name, 'lease-of-one');
    const two = rightRequests(name, 'lease-of-two');
    const { token } = (await handle(one.acquire)).granted;
    await handle(two.acquire);
    await handle({ ...one.renew, token });
    await stage.it.expire(name);
    const second = (await handle(two.acquire)).granted.token;
    await handle({ ...one.renew, token });
    await handle({ ...two.release, token: second });
    await handle({ ...two.release, token: second });
    const third = (await handle({ ...rightRequests(name, 'lease-of-three').acquire })).granted.token;
    await handle({ ...rightRequests(name, 'lease-of-three').complete, token: third });

    const owner = 'worker';
    expect(events.of('granted', name)).toMatchObject([
      { owner, token, leaseId: 'lease-of-one', adopted: false },
      { token: second, takenOverFrom: { owner, token } },
      { token: third },
    ]);
    expect(events.of('held', name)).toMatchObject([{ owner, holder: { owner, token } }]);
    expect(events.of('renewed', name)).toMatchObject([{ token }]);
    expect(events.of('lost', name)).toMatchObject([{ token, reason: 'taken-over' }]);
    // Once: what only finds it done is no second release.
    expect(events.of('released', name)).toMatchObject([{ owner, token: second, heldMs: expect.any(Number) }]);
    expect(events.of('completed', name)).toMatchObject([{ owner, token: third }]);
  });

  it('tells a renewal and a release that the store failed', async () => {
    using events = new EventLog();
    const name = stage.name();
    const actor = await stage.it.readyActor({ maxAttempts: 1 });
    const handle = handlerOver(actor);
    const { acquire, renew, release } = rightRequests(name);
    const { token } = (await handle(acquire)).granted;
    actor.faults.on('UpdateItem').times(2).throttle();
    await handle({ ...renew, token });
    await handle({ ...release, token });
    const error = { name: 'StoreError' };
    expect(events.of('renewal-failed', name)).toMatchObject([{ token, error }]);
    expect(events.of('release-failed', name)).toMatchObject([{ token, error }]);
  });
});
