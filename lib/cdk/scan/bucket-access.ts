import { Token } from 'aws-cdk-lib';
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';

/**
 * Lets a role list a bucket under one prefix only. Every listing of a scan carries the user's own prefix, so the
 * condition needs no exception for planning.
 */
export function grantListUnder(grantee: IGrantable, bucket: IBucket, prefix: string): void {
  // An absent prefix is no empty string to IAM: listing a whole bucket can't be put into this condition.
  const conditions = prefix === '' ? {} : { StringLike: { 's3:prefix': `${literal(prefix)}*` } };
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn], conditions }),
  );
}

/** Lets a role read objects under a prefix. */
export function grantReadUnder(grantee: IGrantable, bucket: IBucket, prefix: string): void {
  grantObjects(grantee, bucket, prefix, ['s3:GetObject']);
  bucket.encryptionKey?.grantDecrypt(grantee);
}

/** Lets a role write objects under a prefix, and abort uploads that it began. */
export function grantWriteUnder(grantee: IGrantable, bucket: IBucket, prefix: string): void {
  grantObjects(grantee, bucket, prefix, ['s3:PutObject', 's3:AbortMultipartUpload']);
  bucket.encryptionKey?.grantEncrypt(grantee);
}

function grantObjects(grantee: IGrantable, bucket: IBucket, prefix: string, actions: string[]): void {
  Grant.addToPrincipal({
    grantee,
    actions,
    resourceArns: [bucket.arnForObjects(`${literal(prefix)}*`)],
  });
}

/** Keys may hold what IAM reads as wildcards and variables; the escapes are IAM's own. */
function literal(prefix: string): string {
  return Token.isUnresolved(prefix) ? prefix : prefix.replace(/[*?$]/g, (character) => `\${${character}}`);
}
