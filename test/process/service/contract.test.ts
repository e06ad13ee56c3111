import { describe } from 'vitest';
import { engines, oneEngine } from '../../support/engines.js';
import { operators, ServiceStage } from '../../support/service/service-stage.js';
import { bySize } from '../../support/size.js';
import { lockClientContract } from '../../support/table/lease-operations-contract.js';

// The suite of the table, through the bundled service: LockClient, AWS SDK, HTTP, process, engine.
describe.each(bySize({ short: [oneEngine], long: engines }))(
  'the contract through the service, on %s',
  (engine) => {
    describe('by the callers’ function', () => {
      lockClientContract(
        async () => {
          const stage = await ServiceStage.open({ engine });
          return {
            connect: (options) => stage.client(options),
            connectOperator: (options) => stage.client({ ...options, service: operators }),
            close: () => stage[Symbol.asyncDispose](),
          };
        },
        { showsLeaseIds: false, takesChanges: false },
      );
    });

    describe('by the operators’ function', () => {
      lockClientContract(
        async () => {
          const stage = await ServiceStage.open({ engine });
          const connect = (options: object) => stage.client({ ...options, service: operators });
          return { connect, connectOperator: connect, close: () => stage[Symbol.asyncDispose]() };
        },
        { showsLeaseIds: true, takesChanges: false },
      );
    });
  },
);
