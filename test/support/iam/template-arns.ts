/** A synthesized template, as `Template.toJSON()` gives it. */
export interface CloudFormationTemplate {
  readonly Resources?: Readonly<Record<string, CloudFormationResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string }>>;
}

export interface CloudFormationResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of any resource
  readonly Properties?: any;
}

export const account = '123456789012';
export const region = 'eu-central-1';

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::StackName': 'stack',
  'AWS::URLSuffix': 'amazonaws.com',
};

const arnOfType: Readonly<Record<string, (name: string) => string>> = {
  'AWS::CloudWatch::Alarm': (name) => `arn:aws:cloudwatch:${region}:${account}:alarm:${name}`,
  'AWS::DynamoDB::GlobalTable': tableArn,
  'AWS::DynamoDB::Table': tableArn,
  'AWS::Events::Rule': (name) => `arn:aws:events:${region}:${account}:rule/${name}`,
  'AWS::IAM::Role': (name) => `arn:aws:iam::${account}:role/${name}`,
  'AWS::KMS::Key': (name) => `arn:aws:kms:${region}:${account}:key/${name}`,
  'AWS::Lambda::Alias': (name) => `arn:aws:lambda:${region}:${account}:function:${name}`,
  'AWS::Lambda::Function': functionArn,
  'AWS::Lambda::Version': (name) => `arn:aws:lambda:${region}:${account}:function:${name}`,
  'AWS::Logs::LogGroup': (name) => `arn:aws:logs:${region}:${account}:log-group:${name}:*`,
  'AWS::S3::Bucket': bucketArn,
  'AWS::SNS::Topic': (name) => `arn:aws:sns:${region}:${account}:${name}`,
  'AWS::SQS::Queue': (name) => `arn:aws:sqs:${region}:${account}:${name}`,
  'AWS::StepFunctions::StateMachine': stateMachineArn,
};

/** Resources whose `Ref` is their ARN. */
const refersByArn = new Set([
  'AWS::Lambda::Alias',
  'AWS::Lambda::Version',
  'AWS::SNS::Topic',
  'AWS::StepFunctions::StateMachine',
]);

/** Where a resource's own name stands, if it was given one. */
const nameProperties = [
  'TableName',
  'BucketName',
  'FunctionName',
  'RoleName',
  'StateMachineName',
  'LogGroupName',
];

export function tableArn(name: string): string {
  return `arn:aws:dynamodb:${region}:${account}:table/${name}`;
}

export function bucketArn(name: string): string {
  return `arn:aws:s3:::${name}`;
}

export function functionArn(name: string): string {
  return `arn:aws:lambda:${region}:${account}:function:${name}`;
}

export function stateMachineArn(name: string): string {
  return `arn:aws:states:${region}:${account}:stateMachine:${name}`;
}

/** Resolves a template's intrinsic functions to made-up names and ARNs: the logical id, where no name was given. */
export class TemplateArns {
  readonly #template: CloudFormationTemplate;
  readonly #parameters: Readonly<Record<string, string>>;

  constructor(template: CloudFormationTemplate, parameters: Readonly<Record<string, string>> = {}) {
    this.#template = template;
    this.#parameters = parameters;
  }

  /** The physical name of a resource. */
  readName(logicalId: string): string {
    const properties = this.#resource(logicalId).Properties ?? {};
    const own = nameProperties.map((property) => properties[property]).find((name) => name !== undefined);
    return own === undefined ? logicalId : String(this.resolve(own));
  }

  /** @throws Error if the type has no made-up ARN yet */
  arnOf(logicalId: string): string {
    const { Type } = this.#resource(logicalId);
    const arn = arnOfType[Type];
    if (!arn) throw new Error(`no made-up ARN for a ${Type} (${logicalId})`);
    return arn(this.readName(logicalId));
  }

  /** A value without intrinsic functions. @throws Error at one that is not known here */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.resolve(one));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [name, argument] = entries[0] ?? [];
    if (entries.length === 1 && (name === 'Ref' || name?.startsWith('Fn::')))
      return this.#call(name, argument);
    return Object.fromEntries(entries.map(([key, one]) => [key, this.resolve(one)]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: the argument of any intrinsic function
  #call(name: string, argument: any): unknown {
    switch (name) {
      case 'Ref':
        return this.#reference(argument);
      case 'Fn::GetAtt': {
        const [id, attribute] = Array.isArray(argument) ? argument : argument.split('.');
        if (attribute !== 'Arn') throw new Error(`no made-up value of ${id}.${attribute}`);
        return this.arnOf(id);
      }
      case 'Fn::Join':
        return (this.resolve(argument[1]) as string[]).join(argument[0]);
      case 'Fn::Split':
        return (this.resolve(argument[1]) as string).split(argument[0]);
      case 'Fn::Select':
        return (this.resolve(argument[1]) as unknown[])[Number(argument[0])];
      default:
        throw new Error(`not resolved: ${name}`);
    }
  }

  #reference(id: string): string {
    const known = pseudoParameters[id] ?? this.#parameters[id] ?? this.#template.Parameters?.[id]?.Default;
    if (known !== undefined) return known;
    return refersByArn.has(this.#resource(id).Type) ? this.arnOf(id) : this.readName(id);
  }

  #resource(logicalId: string): CloudFormationResource {
    const found = this.#template.Resources?.[logicalId];
    if (!found) throw new Error(`the template has no resource ${logicalId}; a parameter needs a value`);
    return found;
  }
}
