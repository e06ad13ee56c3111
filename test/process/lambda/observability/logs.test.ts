import { expect, it } from 'vitest';
import { startLocalLambda } from '../../../../bin/start/state-machine/index.js';
import { ObservedOutput } from '../../../support/lambda/observed-output.js';
import { lambdaFixture } from '../../../support/lambda/scan-bench.js';
import { until } from '../../../support/until.js';

it('what an invocation was about is forgotten with it', async () => {
  const output = new ObservedOutput();
  await using lambda = await startLocalLambda({
    functions: { told: { handler: lambdaFixture('observed-request') } },
    onOutput: output.take,
  });
  await lambda.invoke('told', { run: 'r1', seat: 2, execution: 'arn' });
  await lambda.invoke('told', { run: 'r2' });
  await lambda.invoke('told', {});
  await until('a line each', () => output.logs.length === 3);
  expect(lambda.environments()).toHaveLength(1);
  const about = output.logs.map(({ run, seat, execution }) => ({ run, seat, execution }));
  expect(about).toEqual([{ run: 'r1', seat: 2, execution: 'arn' }, { run: 'r2' }, {}]);
});
