type S3Sdk = typeof import('@aws-sdk/client-s3');

let loaded: Promise<S3Sdk> | undefined;

/**
 * S3's commands, loaded when they are needed first, so that those who guard DynamoDB data only need not have the S3
 * client installed. Once: loading again takes the time of a trip through Node's loader, which no clock of ours sees.
 */
export function s3Sdk(): Promise<S3Sdk> {
  loaded ??= import('@aws-sdk/client-s3');
  return loaded;
}
