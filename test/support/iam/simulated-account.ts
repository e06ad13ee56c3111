import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Template } from 'aws-cdk-lib/assertions';
import { type IamRequest, iamRequestsOf, inWords, type Places } from './iam-request.js';
import type { RecordedRequest } from './recorded-request.js';
import { policiesOf, type RolePolicy } from './role-policies.js';
import {
  account,
  bucketArn,
  type CloudFormationTemplate,
  functionArn,
  TemplateArns,
  tableArn,
} from './template-arns.js';

/** Which resources of the template the recorded names stand for: the beginning of a logical id, by recorded name. */
export interface Standing {
  readonly tables?: Readonly<Record<string, string>>;
  readonly buckets?: Readonly<Record<string, string>>;
  readonly functions?: Readonly<Record<string, string>>;
  /** Values of the template's parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A template's roles in a made-up account, and what IAM would say to their requests. */
export class SimulatedAccount {
  readonly #template: CloudFormationTemplate;
  readonly #arns: TemplateArns;
  readonly #places: Places;

  constructor(template: Template, standing: Standing = {}) {
    this.#template = template.toJSON();
    this.#arns = new TemplateArns(this.#template, standing.parameters);
    const found =
      (ids: Readonly<Record<string, string>> = {}, arnOf: (name: string) => string) =>
      (name: string) =>
        ids[name] === undefined ? arnOf(name) : this.#arns.arnOf(this.idOf(ids[name]));
    this.#places = {
      tableArn: found(standing.tables, tableArn),
      bucketArn: found(standing.buckets, bucketArn),
      functionArn: found(standing.functions, functionArn),
      executionArn: (arn) => arn,
    };
  }

  /** The one resource whose logical id is this but for CDK's hash, or else starts so; of that type where one is given. */
  idOf(start: string, type?: string): string {
    const all = Object.entries(this.#template.Resources ?? {})
      .filter(([id, resource]) => id.startsWith(start) && (type === undefined || resource.Type === type))
      .map(([id]) => id);
    const exact = all.filter((id) => id.replace(/[0-9A-F]{8}$/, '') === start);
    const found = exact.length === 1 ? exact : all;
    if (found.length === 1) return found[0]!;
    throw new Error(`${found.length} resources start with "${start}": ${found.join(', ')}`);
  }

  /** The ARN of the table that a recorded name stands for. */
  tableArn(name: string): string {
    return this.#places.tableArn(name);
  }

  /** The ARN of the bucket that a recorded name stands for. */
  bucketArn(name: string): string {
    return this.#places.bucketArn(name);
  }

  /** What IAM is asked for recorded requests, each once. */
  iamRequests(recorded: readonly RecordedRequest[]): readonly IamRequest[] {
    const all = recorded.flatMap((one) => iamRequestsOf(one, this.#places));
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }

  /** The one role whose logical id starts so. */
  role(start: string): SimulatedRole {
    const id = this.idOf(start, 'AWS::IAM::Role');
    const policies = policiesOf(this.#template, this.#arns, id);
    return new SimulatedRole(this.#arns.arnOf(id), policies, this.#keyPolicies());
  }

  /** A key's own policy decides, too: without one that trusts the account a role's policy is nothing. */
  #keyPolicies(): ReadonlyMap<string, unknown> {
    const keys = Object.entries(this.#template.Resources ?? {}).filter(
      ([, { Type }]) => Type === 'AWS::KMS::Key',
    );
    return new Map(
      keys.map(([id, { Properties }]) => [this.#arns.arnOf(id), this.#arns.resolve(Properties.KeyPolicy)]),
    );
  }
}

/** A role with all its policies. */
export class SimulatedRole {
  constructor(
    readonly arn: string,
    readonly policies: readonly RolePolicy[],
    /** Policies of what is asked for, by ARN. */
    readonly resourcePolicies: ReadonlyMap<string, unknown> = new Map(),
  ) {}

  /** Those of the requests that the role may not send, in words. */
  async denied(requests: readonly IamRequest[]): Promise<string[]> {
    return this.#those(requests, false);
  }

  /** Those of the requests that the role may send, in words. */
  async allowed(requests: readonly IamRequest[]): Promise<string[]> {
    return this.#those(requests, true);
  }

  /** @throws Error if the simulator can't make sense of the policies, or of the request */
  async may({ action, resource, context }: IamRequest): Promise<boolean> {
    const contextVariables = Object.fromEntries(
      Object.entries(context).map(([key, value]) => [key, typeof value === 'string' ? value : [...value]]),
    );
    const answer = await runSimulation(
      {
        identityPolicies: [...this.policies],
        serviceControlPolicies: [],
        resourceControlPolicies: [],
        resourcePolicy: this.resourcePolicies.get(resource),
        request: {
          action,
          principal: this.arn,
          resource: { accountId: account, resource },
          contextVariables,
        },
      },
      {},
    );
    if (answer.resultType === 'error') throw new Error(JSON.stringify(answer.errors));
    if (answer.resultType === 'wildcard') throw new Error(`the resource must name one thing: ${resource}`);
    const ignored = answer.result.ignoredContextKeys ?? [];
    if (ignored.length > 0) throw new Error(`${action} has no such condition keys: ${ignored.join(', ')}`);
    return answer.overallResult === 'Allowed';
  }

  async #those(requests: readonly IamRequest[], wanted: boolean): Promise<string[]> {
    const found: string[] = [];
    for (const request of requests) {
      if ((await this.may(request)) === wanted) found.push(inWords(request));
    }
    return found;
  }
}
