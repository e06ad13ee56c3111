import { App, Duration, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LeaseTable } from 'leasehold/cdk';

const stack = new Stack(new App(), 'Settlement');
const leases = new LeaseTable(stack, 'Leases');
const settlements = new TableV2(stack, 'Settlements', {
  partitionKey: { name: 'id', type: AttributeType.STRING },
});

const settle = new NodejsFunction(stack, 'Settle', {
  entry: new URL('./handler.ts', import.meta.url).pathname,
  runtime: Runtime.NODEJS_LATEST,
  timeout: Duration.minutes(1),
  environment: { LEASE_TABLE: leases.tableName, SETTLEMENT_TABLE: settlements.tableName },
});
leases.grantUse(settle, { names: ['settlement/*'] });
settlements.grantWriteData(settle);
