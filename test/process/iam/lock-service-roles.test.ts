import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { beforeAll, describe, expect, it } from 'vitest';
import { LeaseTable, LockedSection, LockService } from '../../../lib/cdk/index.js';
import { emptyStack } from '../../support/cdk/synthesize.js';
import { type IamRequest, SimulatedAccount } from '../../support/iam/index.js';
import { recordedService, type ServiceFunctionName } from '../../support/iam/recorded-service.js';

const names = ['settlement/*'];
const groups = ['night/*'];
const stack = emptyStack();
const service = new LockService(stack, 'Locks', {
  leases: new LeaseTable(stack, 'Leases'),
  names,
  groups,
  operators: true,
});
const section = new LockedSection(stack, 'Settle', {
  service,
  name: 'settlement/1',
  states: new Pass(stack, 'Work'),
});
const machine = new StateMachine(stack, 'Machine', { definitionBody: DefinitionBody.fromChainable(section) });
service.watchExecutions(machine);
const roleFor = (id: string) =>
  new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
service.grantInvoke(roleFor('Worker'));
service.grantOperate(roleFor('Desk'));
const account = new SimulatedAccount(Template.fromStack(stack), {
  tables: { leases: 'LeasesTable' },
  functions: { service: 'LocksServiceFunction', operators: 'LocksOperatorsFunction' },
});

const roles = {
  service: 'LocksServiceRole',
  operators: 'LocksOperatorsRole',
  executions: 'LocksExecutionsRole',
};
const functions = Object.keys(roles) as ServiceFunctionName[];
const machineName = account.idOf('Machine', 'AWS::StepFunctions::StateMachine');
const findExecution = (name: string, region = 'eu-central-1') =>
  `arn:aws:states:${region}:123456789012:execution:${name}`;

let sent: Readonly<Record<ServiceFunctionName, readonly IamRequest[]>>;

beforeAll(async () => {
  const recorded = await recordedService({ names, execution: findExecution(`${machineName}:run-1`) });
  sent = {
    service: account.iamRequests(recorded.service),
    operators: account.iamRequests(recorded.operators),
    executions: account.iamRequests(recorded.executions),
  };
});

const actions = (requests: readonly IamRequest[]) =>
  [...new Set(requests.map(({ action }) => action))].sort();
const ofDynamo = (requests: readonly IamRequest[]) =>
  requests.filter(({ action }) => action.startsWith('dynamodb:'));
const withKeys = (requests: readonly IamRequest[], ...keys: string[]): IamRequest[] =>
  requests.map((request) => ({ ...request, context: { 'dynamodb:LeadingKeys': keys } }));
const on = (action: string, resource: string, context: IamRequest['context'] = {}): IamRequest => ({
  action,
  resource,
  context,
});
const describing = (execution: string) => on('states:DescribeExecution', execution);

it('what was recorded is all that the functions do', () => {
  const uses = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'];
  for (const name of functions) expect(actions(sent[name])).toEqual([...uses, 'states:DescribeExecution']);
});

describe.each(functions)('the role of the %s function', (name) => {
  const role = account.role(roles[name]);

  it('may send every request that the function was recorded sending', async () => {
    expect(await role.denied(sent[name])).toEqual([]);
  });

  it('may touch no other lock', async () => {
    const byKey = ofDynamo(sent[name]).filter(({ action }) => action !== 'dynamodb:Query');
    expect(await role.allowed(withKeys(byKey, 'report'))).toEqual([]);
    expect(await role.allowed(withKeys(byKey, 'settlement'))).toEqual([]);
    expect(await role.allowed(withKeys(byKey, 'settlement/1', 'report'))).toEqual([]);
    expect(await role.allowed(byKey.map(({ action, resource }) => on(action, resource)))).toEqual([]);
  });

  it('may list no other group', async () => {
    const queries = ofDynamo(sent[name]).filter(({ action }) => action === 'dynamodb:Query');
    expect(await role.allowed(withKeys(queries, 'day/1'))).toEqual([]);
    expect(await role.allowed(queries.map(({ action, resource }) => on(action, resource)))).toEqual([]);
  });

  it('may use no other table', async () => {
    const elsewhere = ofDynamo(sent[name]).map((request) => ({
      ...request,
      resource: request.resource.replace(/table\/[^/]+/, 'table/other'),
    }));
    expect(await role.allowed(elsewhere)).toEqual([]);
  });

  it('may ask for the executions of the watched machine, and of no other', async () => {
    expect(await role.denied([describing(findExecution(`${machineName}:any`))])).toEqual([]);
    expect(await role.denied([describing(findExecution(`${machineName}/label:any`))])).toEqual([]);
    const others = [
      findExecution('Other:any'),
      findExecution(`${machineName}2:any`),
      findExecution(`${machineName}:any`, 'eu-west-1'),
    ];
    expect(await role.allowed(others.map(describing))).toEqual([]);
  });

  it('may do nothing that is not on its list', async () => {
    const leases = account.tableArn('leases');
    const key = { 'dynamodb:LeadingKeys': ['settlement/1'] };
    const run = findExecution(`${machineName}:run-1`);
    expect(
      await role.allowed([
        on('dynamodb:DeleteItem', leases, key),
        on('dynamodb:PutItem', leases, key),
        on('dynamodb:Scan', leases),
        on('dynamodb:BatchWriteItem', leases, key),
        on('dynamodb:DeleteTable', leases),
        on('dynamodb:Query', leases, key),
        on('states:StopExecution', run),
        on('states:GetExecutionHistory', run),
        on('states:RedriveExecution', run),
        on('states:ListExecutions', `arn:aws:states:eu-central-1:123456789012:stateMachine:${machineName}`),
        ...invocations(),
      ]),
    ).toEqual([]);
  });
});

it('a group is not shared: callers may not list what an execution holds', async () => {
  const queries = sent.executions.filter(({ action }) => action === 'dynamodb:Query');
  expect(queries.length).toBeGreaterThan(0);
  expect(await account.role(roles.service).allowed(queries)).toEqual([]);
});

describe('who may invoke what', () => {
  it.each([
    ['a caller', 'Worker', ['LocksServiceFunction']],
    ['an operator', 'Desk', ['LocksOperatorsFunction']],
    ['the machine with the section', 'MachineRole', ['LocksServiceFunction']],
  ])('%s', async (_, id, may) => {
    const allowed = await account.role(id).allowed(invocations());
    expect(allowed).toHaveLength(may.length);
    for (const name of may) expect(allowed.join()).toContain(name);
  });

  it('none of them may touch the table or look at executions', async () => {
    const all = functions.flatMap((name) => sent[name]);
    for (const id of ['Worker', 'Desk', 'MachineRole'])
      expect(await account.role(id).allowed(all)).toEqual([]);
  });
});

function invocations(): IamRequest[] {
  return ['LocksServiceFunction', 'LocksOperatorsFunction', 'LocksExecutionsFunction'].map((start) => {
    const id = account.idOf(start, 'AWS::Lambda::Function');
    return on('lambda:InvokeFunction', `arn:aws:lambda:eu-central-1:123456789012:function:${id}`);
  });
}
