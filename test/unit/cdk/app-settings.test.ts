import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appSettings, forgottenSettings } from '../../../bin/app/app-settings.js';
import { propsOf } from '../../support/docs/construct-pages.js';

const given = ({ stack }: ReturnType<typeof appSettings>) =>
  Object.fromEntries(Object.entries(stack).filter(([, value]) => value !== undefined));

describe('the settings of the app', () => {
  it("are all left to the stack's defaults, whatever flags CDK carries", () => {
    const { context } = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'));
    const settings = appSettings({ ...context, 'aws:cdk:enable-path-metadata': true });
    expect(settings).toMatchObject({ stackName: 'Leasehold', nag: false });
    expect(given(settings)).toEqual({});
  });

  it('are all that the stack can be told', () => {
    const names = propsOf('lib/cdk/stack/leasehold-stack-props.ts', 'LeaseholdStackProps').map(
      ({ name }) => name,
    );
    expect(Object.keys(appSettings({}).stack).sort()).toEqual([...names].sort());
  });

  it('come as text from the command line, or as values from a file', () => {
    const expected = {
      bucketName: 'data',
      seats: 4,
      readObjects: true,
      dashboard: false,
      lockNames: ['a/*', 'b'],
    };
    expect(
      given(
        appSettings({
          bucketName: 'data',
          seats: '4',
          readObjects: 'true',
          dashboard: 'false',
          lockNames: 'a/*, b',
        }),
      ),
    ).toEqual(expected);
    expect(given(appSettings({ ...expected }))).toEqual(expected);
  });

  it.each<[string, unknown, string]>([
    ['seats', 'many', 'seats: must be a whole number from 1 to 1000, got "many"'],
    ['seats', '1001', 'seats: must be a whole number from 1 to 1000, got "1001"'],
    ['seats', 1.5, 'seats: must be a whole number from 1 to 1000, got 1.5'],
    ['leaseMs', '10', 'leaseMs: must be a whole number from 1000 to 450000, got "10"'],
    ['readObjects', 'yes', 'readObjects: must be true or false, got "yes"'],
    ['bucketName', 'Data', 'bucketName: must be the name of a bucket: 3 to 63 of a-z 0-9 . -, got "Data"'],
    ['prefix', '', 'prefix: must be text that is not empty, got ""'],
    ['schedule', 'daily', 'schedule: must be rate(…), cron(…) or at(…), got "daily"'],
    ['lockNames', 'a,,b', 'lockNames: must be texts with commas between them, got "a,,b"'],
    ['alarmTopicArn', 'ops', 'alarmTopicArn: must be the ARN of an SNS topic, got "ops"'],
    ['stackName', '1st', 'stackName: must be a name of a stack: A-Z a-z 0-9 -, got "1st"'],
  ])('%s of %j is refused', (name, value, message) => {
    expect(() => appSettings({ [name]: value })).toThrow(message);
  });

  it('that there are not are refused, by name and with those that there are', () => {
    expect(() => appSettings({ seat: '4' })).toThrow(
      /^seat: there is no such setting; there are alarmTopicArn, alarms, bucketName, .*tracing, watchExecutions$/,
    );
  });
});

describe('D32: settings that cdk.json keeps', () => {
  it('count without a flag, so that the plain command is right', () => {
    const leasehold = { bucketName: 'data', prefix: 'logs/', lockNames: ['a/*'] };
    expect(given(appSettings({ leasehold, '@aws-cdk/core:x': true }))).toEqual(leasehold);
  });

  it('what the command line says counts over them, and is told to be forgotten', () => {
    const context = { leasehold: { seats: 4, bucketName: 'data' }, seats: '8', prefix: 'a/' };
    expect(given(appSettings(context))).toEqual({ seats: 8, prefix: 'a/', bucketName: 'data' });
    expect(forgottenSettings(context, { leasehold: {} })).toMatch(
      /^seats, prefix: given on the command line only/,
    );
    expect(forgottenSettings(context, { seats: 4, prefix: 'a/' })).toBeUndefined();
    expect(forgottenSettings({ leasehold: {} }, {})).toBeUndefined();
  });

  it('are refused as the others are', () => {
    expect(() => appSettings({ leasehold: { seat: 4 } })).toThrow(/^seat: there is no such setting/);
    expect(() => appSettings({ leasehold: { 'a-b': 4 } })).toThrow(
      /^leasehold.a-b: there is no such setting/,
    );
    expect(() => appSettings({ leasehold: 'seats=4' })).toThrow(/^leasehold: must be an object/);
  });
});
