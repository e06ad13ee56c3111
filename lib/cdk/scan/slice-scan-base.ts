import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IStateMachine, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IConstruct } from 'constructs';
import { demandedGrant } from '../functions/demanded-grant.js';

/** A scan that is deployed, here or elsewhere. */
export interface ISliceScan extends IConstruct {
  /** The state machine; an execution of it is a run. */
  readonly stateMachine: IStateMachine;
  /** Lets somebody start scans. */
  grantStartExecution(grantee: IGrantable): Grant;
  /** Lets somebody follow executions and read their results, as `leasehold scan --state-machine` does. */
  grantRead(grantee: IGrantable): Grant;
  /** Lets somebody go on with executions that failed. */
  grantRedriveExecution(grantee: IGrantable): Grant;
  /** A metric of Step Functions about this state machine. */
  metric(metricName: string, options?: MetricOptions): Metric;
  /** Runs that were started. @default the sum over 5 minutes */
  metricStarted(options?: MetricOptions): Metric;
  /** Runs that ended complete, without failures. @default the sum over 5 minutes */
  metricSucceeded(options?: MetricOptions): Metric;
  /** Runs that failed, those that completed with failures of objects included. @default the sum over 5 minutes */
  metricFailed(options?: MetricOptions): Metric;
  /** Runs that were out of time. @default the sum over 5 minutes */
  metricTimedOut(options?: MetricOptions): Metric;
  /** How long runs took, in milliseconds. @default the average over 5 minutes */
  metricTime(options?: MetricOptions): Metric;
}

/** What all scans can do, wherever their state machine is from. */
export abstract class SliceScanBase extends Construct implements ISliceScan {
  abstract readonly stateMachine: IStateMachine;

  grantStartExecution(grantee: IGrantable): Grant {
    return demandedGrant('grantStartExecution', grantee, this.stateMachine.grantStartExecution(grantee));
  }

  grantRead(grantee: IGrantable): Grant {
    return demandedGrant('grantRead', grantee, this.stateMachine.grantRead(grantee));
  }

  grantRedriveExecution(grantee: IGrantable): Grant {
    return demandedGrant('grantRedriveExecution', grantee, this.stateMachine.grantRedriveExecution(grantee));
  }

  metric(metricName: string, options?: MetricOptions): Metric {
    return this.stateMachine.metric(metricName, options);
  }

  metricStarted(options?: MetricOptions): Metric {
    return this.stateMachine.metricStarted(options);
  }

  metricSucceeded(options?: MetricOptions): Metric {
    return this.stateMachine.metricSucceeded(options);
  }

  metricFailed(options?: MetricOptions): Metric {
    return this.stateMachine.metricFailed(options);
  }

  metricTimedOut(options?: MetricOptions): Metric {
    return this.stateMachine.metricTimedOut(options);
  }

  metricTime(options?: MetricOptions): Metric {
    return this.stateMachine.metricTime(options);
  }
}

/** A scan of which only the state machine is known. */
export class ImportedSliceScan extends SliceScanBase {
  readonly stateMachine: IStateMachine;

  constructor(scope: Construct, id: string, stateMachineArn: string) {
    super(scope, id);
    this.stateMachine = StateMachine.fromStateMachineArn(this, 'StateMachine', stateMachineArn);
  }
}
