import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type CfnElement, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { LocalFunction, StateMachineDefinition } from '../../../bin/start/state-machine/index.js';
import { templateText } from '../../../bin/start/state-machine/synthesized-state-machine.js';
import { SliceScan, type SliceScanProps } from '../../../lib/cdk/index.js';

/** A scan as CDK would deploy it: the definition, and the code of each function out of the cloud assembly. */
export interface DeployedScan extends AsyncDisposable {
  readonly definition: StateMachineDefinition;
  readonly functions: Readonly<Record<string, Pick<LocalFunction, 'handler' | 'exportName'>>>;
}

/** Synthesizes a scan of the bucket `data`; the functions go by `plan`, `work` and `verify`. */
export async function deployedScan(props: Partial<SliceScanProps>): Promise<DeployedScan> {
  const outdir = await mkdtemp(join(tmpdir(), 'leasehold-scan-'));
  const stack = new Stack(new App({ outdir, analyticsReporting: false }), 'Test');
  const scan = new SliceScan(stack, 'Scan', {
    bucket: Bucket.fromBucketName(stack, 'Bucket', 'data'),
    ...props,
  });
  const { template } = (App.of(stack) as App).synth().getStackByName(stack.stackName);
  const idOf = (element: unknown) => stack.getLogicalId(element as CfnElement);
  const names = new Map(
    Object.entries(scan.functions).map(([name, made]) => [idOf(made.node.defaultChild), name]),
  );
  const { DefinitionString } = template.Resources[idOf(scan.stateMachine.node.defaultChild)].Properties;
  const functions = [...names].map(([id, name]) => {
    const { Handler, Code } = template.Resources[id].Properties as {
      Handler: string;
      Code: { S3Key: string };
    };
    const asset = join(outdir, `asset.${Code.S3Key.replace(/\.zip$/, '')}`);
    const [file, exportName] = Handler.split('.') as [string, string];
    return [name, { handler: join(asset, `${file}.mjs`), exportName }] as const;
  });
  return {
    definition: JSON.parse(templateText(DefinitionString, template, names)),
    functions: Object.fromEntries(functions),
    [Symbol.asyncDispose]: () => rm(outdir, { recursive: true, force: true }),
  };
}
