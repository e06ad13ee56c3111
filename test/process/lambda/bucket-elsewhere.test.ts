import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createScanHandlers, inventory } from '../../../lib/scan/index.js';
import { runCommand } from '../../support/cli/command-line.js';
import { Stage } from '../../support/stage.js';

/** An S3 that has the bucket in one Region, and says so where it is asked for another. */
const home = 'eu-west-1';
const keys = ['logs/a', 'logs/b', 'logs/c'];
const regions: string[] = [];
const payers = new Set<unknown>();
let server: Server;
let endpoint: string;
let stage: Stage;

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, region = ''] =
      /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(request.headers.authorization ?? '') ?? [];
    regions.push(region);
    payers.add(request.headers['x-amz-request-payer']);
    if (region !== home) {
      response.writeHead(301, { 'content-type': 'application/xml', 'x-amz-bucket-region': home });
      return response.end(
        `<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message><Endpoint>127.0.0.1</Endpoint></Error>`,
      );
    }
    const query = new URL(request.url!, 'http://x').searchParams;
    const after = query.get('start-after') ?? '';
    const found = query.get('delimiter') ? [] : keys.filter((key) => key > after);
    const contents = found.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await Stage.open();
});
beforeEach(() => {
  regions.length = 0;
  payers.clear();
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await stage.close();
});

const aws = () => ({
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL_S3: endpoint,
});

describe('D24: a bucket in another Region than who scans it', () => {
  it('is followed by the functions', async () => {
    for (const [name, value] of Object.entries(aws())) vi.stubEnv(name, value);
    const env = {
      LEASEHOLD_TABLE: stage.table,
      LEASEHOLD_DYNAMODB_ENDPOINT: stage.dynamo.endpoint,
      LEASEHOLD_LOGS: 'off',
      LEASEHOLD_METRICS: 'off',
    };
    const { plan, work, verify } = createScanHandlers({ processor: inventory(), env });
    const context = { getRemainingTimeInMillis: () => 60_000 } as never;
    const defaults = { bucket: 'data', prefix: 'logs/', seats: 1, slices: 1 };
    await plan({ run: 'elsewhere', input: {}, defaults } as never);
    await work({ run: 'elsewhere', seat: 0 } as never, context);
    const verdict = await verify({ run: 'elsewhere', seats: [] } as never);
    expect(verdict).toMatchObject({ status: 'complete', report: { objects: keys.length } });
    expect(new Set(regions)).toEqual(new Set(['us-east-1', home]));
    expect(payers).toEqual(new Set([undefined]));
    vi.unstubAllEnvs();
  });

  it('D26: and is paid for by whoever scans it, where the construct says so', async () => {
    for (const [name, value] of Object.entries(aws())) vi.stubEnv(name, value);
    const env = {
      LEASEHOLD_TABLE: stage.table,
      LEASEHOLD_DYNAMODB_ENDPOINT: stage.dynamo.endpoint,
      LEASEHOLD_LOGS: 'off',
      LEASEHOLD_METRICS: 'off',
      LEASEHOLD_REQUESTER_PAYS: 'on',
    };
    const { plan, work, verify } = createScanHandlers({ processor: inventory(), env });
    const context = { getRemainingTimeInMillis: () => 60_000 } as never;
    const defaults = { bucket: 'data', prefix: 'logs/', seats: 1, slices: 1 };
    await plan({ run: 'paid', input: {}, defaults } as never);
    await work({ run: 'paid', seat: 0 } as never, context);
    const verdict = await verify({ run: 'paid', seats: [] } as never);
    expect(verdict).toMatchObject({ status: 'complete', report: { objects: keys.length } });
    expect(payers).toEqual(new Set(['requester']));
    vi.unstubAllEnvs();
  });

  it('is followed by the command line, by the same rule', async () => {
    const args = ['scan', 's3://data/logs/', '--table', stage.table, '--endpoint', stage.dynamo.endpoint];
    const { exitCode, stdout, stderr } = await runCommand([...args, '--seats', '1', '--json'], aws());
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ objects: keys.length });
    expect(new Set(regions)).toEqual(new Set(['us-east-1', home]));
    expect(payers).toEqual(new Set([undefined]));
  });

  it('D26: and is paid for by the command line, where it is told so', async () => {
    const args = ['scan', 's3://data/logs/', '--table', stage.table, '--endpoint', stage.dynamo.endpoint];
    const { exitCode, stdout, stderr } = await runCommand(
      [...args, '--seats', '1', '--requester-pays', '--json'],
      aws(),
    );
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ objects: keys.length });
    expect(payers).toEqual(new Set(['requester']));
  });
});
