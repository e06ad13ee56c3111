#!/usr/bin/env node
/** The CDK app: one stack, each of its settings from the CDK context (`-c bucketName=… -c prefix=…`). */
import { App } from 'aws-cdk-lib';
import { LeaseholdStack } from '../lib/cdk/index.js';

const app = new App();
const setting = (name: string): string | undefined => app.node.tryGetContext(name)?.toString();
const count = (name: string): number | undefined => {
  const text = setting(name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`${name}: must be a whole number, at least 1, got "${text}"`);
};

new LeaseholdStack(app, setting('stackName') ?? 'Leasehold', {
  description: 'Leasehold: a lease table, and scans of an S3 prefix under leases',
  bucketName: setting('bucketName'),
  prefix: setting('prefix'),
  outputBucketName: setting('outputBucketName'),
  outputPrefix: setting('outputPrefix'),
  readObjects: setting('readObjects') === 'true',
  seats: count('seats'),
  leaseMs: count('leaseMs'),
});
