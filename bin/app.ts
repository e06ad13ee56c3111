#!/usr/bin/env node
/** The CDK app: one stack, each of its settings from the CDK context: `leasehold` in `cdk.json`, or `-c name=value`. */
import { existsSync, readFileSync } from 'node:fs';
import { App, Validations } from 'aws-cdk-lib';
import { LeaseholdStack } from '../lib/cdk/index.js';
import { appSettings, forgottenSettings } from './app/app-settings.js';

try {
  const app = new App();
  const context: Readonly<Record<string, unknown>> = app.node.getAllContext();
  const { stackName, nag, stack } = appSettings(context);
  const forgotten = forgottenSettings(context, fileContext());
  if (forgotten !== undefined) console.error(`Note: ${forgotten}`);
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

/** What the CDK command line takes from its file, before it adds what it was told. */
function fileContext(): Readonly<Record<string, unknown>> {
  return existsSync('cdk.json') ? (JSON.parse(readFileSync('cdk.json', 'utf8')).context ?? {}) : {};
}
