#!/usr/bin/env node
/** The CDK app: one stack, each of its settings from the CDK context (`-c bucketName=… -c prefix=…`). */
import { App, Validations } from 'aws-cdk-lib';
import { LeaseholdStack } from '../lib/cdk/index.js';
import { appSettings } from './app/app-settings.js';

try {
  const app = new App();
  const { stackName, nag, stack } = appSettings(app.node.getAllContext());
  if (nag) {
    // Of this repository's own tools: the package does not need it.
    const { AwsSolutionsChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  }
  new LeaseholdStack(app, stackName, {
    description: 'Leasehold: a lease table, a lock service, and scans of an S3 prefix under leases',
    ...stack,
  });
  app.synth();
} catch (error) {
  // What is wrong with a setting is said in one line; whatever else went wrong needs its stack.
  const { message, stack } = error as Error;
  console.error(/^[\w.]+: /.test(message) ? `Error: ${message}` : stack);
  process.exitCode = 1;
}
