import { Token } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { checkKnown } from './known.js';

/** Where and how functions run that are made here: every construct with functions takes these. */
export interface FunctionSettings {
  /** The functions' runtime. @default the newest Node.js that CDK knows */
  readonly runtime?: Runtime;
  /** The functions' processor. @default Architecture.ARM_64 */
  readonly architecture?: Architecture;
  /** How long logs are kept. @default one month */
  readonly logRetention?: RetentionDays;
  /** The network that the functions are put into; from there they must reach what they use. @default none */
  readonly vpc?: IVpc;
  /** Which subnets of `vpc`. @default private ones */
  readonly vpcSubnets?: SubnetSelection;
  /** Security groups in `vpc`. @default a new one */
  readonly securityGroups?: readonly ISecurityGroup[];
  /** Further environment variables, such as `HTTPS_PROXY` or `NODE_EXTRA_CA_CERTS`. @default none */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Variables that the constructs set by other properties, or that Lambda keeps for itself. */
const taken =
  /^(LEASEHOLD_\w+|POWERTOOLS_SERVICE_NAME|AWS_(REGION|LAMBDA_\w+|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)|_HANDLER|LAMBDA_\w+)$/;

/** @throws Error for what can't be, by name */
export function checkFunctionSettings(props: FunctionSettings, path = ''): void {
  checkKnown(props, ['vpc', 'environment', 'runtime', 'architecture'], path);
  if (!props.vpc) {
    for (const name of ['vpcSubnets', 'securityGroups'] as const) {
      if (props[name] !== undefined) throw new Error(`${path}${name}: counts for nothing without vpc`);
    }
  }
  for (const [name, value] of Object.entries(props.environment ?? {})) {
    if (Token.isUnresolved(name) || !/^[A-Za-z]\w+$/.test(name)) {
      throw new Error(`${path}environment: names must be letters, digits and _, got "${name}"`);
    }
    if (taken.test(name))
      throw new Error(`${path}environment.${name}: is set by the construct, or by Lambda`);
    if (typeof value !== 'string') {
      throw new Error(`${path}environment.${name}: must be text, got ${JSON.stringify(value)}`);
    }
  }
}
