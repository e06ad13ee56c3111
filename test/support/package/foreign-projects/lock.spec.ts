import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { LockService } from 'leasehold/cdk';
import { useThePackage } from './use-the-package';

test('locks', async () => {
  expect(await useThePackage()).toBe('true true');
}, 60_000);

test('synthesizes', () => {
  const stack = new Stack(new App(), 'Test');
  new LockService(stack, 'Locks');
  Template.fromStack(stack).resourceCountIs('AWS::Lambda::Function', 1);
}, 60_000);
