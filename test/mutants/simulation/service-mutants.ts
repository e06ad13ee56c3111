import { mutantsOf } from './mutant.js';

/** Leases through the lock service: its answers, and the clock that counts on from them. */
export const serviceMutants = [
  ...mutantsOf('service', 'lib/service-client/service-store.ts', [
    [
      'service: the time of an answer counts from before its request was sent',
      'clock.learn(sentAt, answer.now as TimeInterval)',
      'clock.learn(clock.instant(), answer.now as TimeInterval)',
    ],
    [
      'service: what was lost is lost',
      "return released ? { kind: 'done' } : { kind: 'lost', reason };",
      "return { kind: 'done' };",
    ],
  ]),
  ...mutantsOf('service', 'lib/lease/lease-term.ts', [
    [
      'service: a renewal asks for more than the service has granted',
      'this.#highestAsked = grant.expiresAt + this.#surplusMs;',
      'this.#highestAsked = grant.expiresAt;',
    ],
  ]),
  ...mutantsOf('service', 'lib/lease/holder-requests.ts', [
    [
      'service: a break is told from a release that came twice',
      '({ brokenLeaseId }: LeaseItem) => brokenLeaseId !== lease.leaseId',
      '(_: LeaseItem) => false',
    ],
  ]),
  ...mutantsOf('service', 'lib/client/acquisition.ts', [
    [
      'service: a lease that ran out unheard of is given back',
      "if (outcome.kind === 'expired') this.#arrivedOver();",
      "if (outcome.kind === 'expired') this.#startOver();",
    ],
  ]),
  ...mutantsOf('service', 'lib/service/acquire-operation.ts', [
    [
      'service: a lease that has run out is left to run out',
      "if (outcome.kind !== 'held') throw spent(name, 'expired', 'has run out');",
      "if (outcome.kind !== 'held') {\n    await host.context.store.release({ name, leaseId });\n    throw spent(name, 'expired', 'has run out');\n  }",
    ],
    [
      'service: supersedes exactly the lease that was seen',
      'outcome.item?.version === supersedes &&',
      'supersedes !== undefined &&',
    ],
    [
      'service: knows the time before it grants',
      '  await host.context.store.ensureTime(signal);\n  const outcome = await granted(',
      '  const outcome = await granted(',
    ],
  ]),
  ...mutantsOf('service', 'lib/service-client/service-failure.ts', [
    [
      'service: a write that was not answered may have been done',
      "mayHaveApplied: kind === 'write' && (!isRefused || attempts > 1),",
      'mayHaveApplied: false,',
    ],
    [
      'service: a function that failed may have done it',
      "return new StoreError(message, lockName, { retryable: true, mayHaveApplied: kind === 'write' });",
      'return new StoreError(message, lockName, { retryable: true, mayHaveApplied: false });',
    ],
  ]),
  ...mutantsOf('service', 'lib/service/service-host.ts', [
    [
      'service: a lease is as long as it is by the latest that it may be',
      'return { earliest: Math.floor(earliest), latest: Math.ceil(latest) };',
      'return { earliest: Math.floor(earliest), latest: Math.ceil(earliest) };',
    ],
    [
      'service: a lock is free by the earliest that it may be',
      'return { earliest: Math.floor(earliest), latest: Math.ceil(latest) };',
      'return { earliest: Math.floor(latest), latest: Math.ceil(latest) };',
    ],
  ]),
];
