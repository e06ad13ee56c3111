import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Schedule,
  type ScheduleExpression,
  ScheduleTargetInput,
  type TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** What an execution of a scan may be told; what is left out, the construct's own settings say. */
export interface ScanInput {
  /** A prefix inside the one that the roles may list. @default the construct's */
  readonly prefix?: string;
  /** How many workers: 1 to 1,000. @default the construct's */
  readonly seats?: number;
  /** How many slices to plan: 1 to 10,000. @default the construct's */
  readonly slices?: number;
  /** Keys a request: 1 to 1,000. @default 1,000 */
  readonly pageSize?: number;
  /** Keys at which slices begin and end, by hand or from an earlier run. @default those that the plan finds */
  readonly cuts?: readonly string[];
}

/** When a scan starts by itself. */
export interface ScanSchedule {
  /** E.g. `ScheduleExpression.rate(Duration.days(1))`. */
  readonly expression: ScheduleExpression;
  /** What the executions are told. @default {} */
  readonly input?: ScanInput;
  /** How much later it may start. @default TimeWindow.off() */
  readonly timeWindow?: TimeWindow;
  /** Whether it starts anything now. @default true */
  readonly enabled?: boolean;
}

/**
 * Starts the state machine on a schedule. EventBridge Scheduler delivers at least once, so a start may rarely come
 * twice: two runs then, each complete by itself.
 */
export function scheduleScan(
  scope: Construct,
  stateMachine: IStateMachine,
  { expression, input = {}, timeWindow, enabled }: ScanSchedule,
  key: IKey | undefined,
): Schedule {
  return new Schedule(scope, 'Schedule', {
    description: 'Leasehold: starts a scan',
    schedule: expression,
    target: new StepFunctionsStartExecution(stateMachine, { input: ScheduleTargetInput.fromObject(input) }),
    timeWindow,
    enabled,
    key,
  });
}
