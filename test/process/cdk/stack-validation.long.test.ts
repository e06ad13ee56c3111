import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CfnResource } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LeaseholdStack, type LeaseholdStackProps } from '../../../lib/cdk/index.js';
import { everything } from '../../support/cdk/every-option.js';
import { appAsDeployed } from '../../support/cdk/synthesize.js';

// The stack as it is by default is validated in the short form, too: by the test of the CDK command.
describe("CDK's own validation of templates", () => {
  beforeAll(() => void vi.stubEnv('CDK_VALIDATION', 'true'));
  afterAll(() => void vi.unstubAllEnvs());

  it('has nothing to say about the stack', () => {
    expect(reported(appOf(everything).synth().directory)).toEqual([]);
  });

  it('runs: what CloudFormation would frown at is reported', () => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {});
    const app = appOf({}, (table) => table.addPropertyOverride('BillingMode', 'FOR_FREE'));
    expect(reported(app.synth().directory)).toEqual([expect.stringContaining('FOR_FREE')]);
  });

  it('and what it would refuse fails the synthesis', () => {
    const app = appOf({}, (table) => table.addPropertyOverride('KeySchemas', []));
    expect(() => app.synth()).toThrow(/KeySchemas: Additional properties are not allowed/);
  });

  function reported(directory: string): readonly string[] {
    const report = JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8'));
    const plugins = report.pluginReports as readonly {
      readonly violations: readonly { description: string }[];
    }[];
    return plugins.flatMap(({ violations }) => violations.map(({ description }) => description));
  }

  function appOf(props: LeaseholdStackProps, tamper: (table: CfnResource) => void = () => {}) {
    const app = appAsDeployed();
    const { leases } = new LeaseholdStack(app, 'Leasehold', props);
    tamper(leases.table.node.defaultChild as CfnResource);
    return app;
  }
});
