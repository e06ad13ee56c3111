import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { GroupIndex } from '../../simulation/store/group-index.js';
import { carryOut } from '../../simulation/store/operations.js';
import { SimStore } from '../../simulation/store/sim-store.js';
import { EventLoop } from '../../simulation/world/event-loop.js';
import { Random } from '../../simulation/world/random.js';

/** A request as the SDK would have sent it. */
interface SentRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** One that reached a service, and what was asked of it. */
export interface AskedOfAws extends SentRequest {
  /** `UpdateItem`, or for S3 the method. */
  readonly operation: string;
  /** The Region that it was signed for. */
  readonly region: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK types its clients by their commands
type AnyClient = any;

/**
 * DynamoDB and S3 for the SDK's own clients, whoever makes them and whenever: all that a client does up to the network is
 * done, and what it would have sent there is answered by the simulator's table and a bucket in memory.
 */
export class AwsInMemory implements Disposable {
  readonly dynamo: AskedOfAws[] = [];
  readonly s3: AskedOfAws[] = [];
  /** Clients that have sent something. */
  readonly clients = new Set<object>();
  /** An answer of its own to a request, where there is one. */
  answers: (request: AskedOfAws) => Answer | undefined = () => undefined;
  /** Objects that were put, by bucket and key. */
  readonly objects = new Map<string, string>();
  readonly #keys: readonly string[];
  readonly #backend;
  readonly #restore: (() => void)[] = [];

  /** @param keys of the bucket that is scanned, in key order */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
    const random = new Random(1);
    const index = new GroupIndex(new EventLoop(0), random, 0);
    this.#backend = { store: new SimStore(index, () => {}), index, random };
    this.#instead(DynamoDBClient.prototype, (request) => this.#dynamo(request));
    this.#instead(DynamoDBDocumentClient.prototype, (request) => this.#dynamo(request));
    this.#instead(S3Client.prototype, (request) => this.#s3(request));
    const variables = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: 'eu-west-1' };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    this.#restore.push(() => void vi.unstubAllEnvs());
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore) restore();
  }

  #instead(prototype: AnyClient, carryOut: (request: SentRequest) => Answer): void {
    const send = prototype.send;
    const { clients } = this;
    const spied = vi.spyOn(prototype, 'send').mockImplementation(function (this: AnyClient, ...args) {
      clients.add(this);
      this.config.requestHandler = {
        metadata: { handlerProtocol: 'http/1.1' },
        handle: async (request: SentRequest) => {
          const { status, body, headers } = carryOut({ ...request, body: textOf(request.body) });
          const all = { date: new Date().toUTCString(), ...headers };
          return { response: { statusCode: status, headers: all, body: Readable.from([Buffer.from(body)]) } };
        },
      };
      return send.apply(this, args);
    });
    this.#restore.push(() => spied.mockRestore());
  }

  #dynamo(request: SentRequest): Answer {
    const operation = request.headers['x-amz-target']!.split('.')[1]!;
    const asked = { ...request, operation, region: regionOf(request) };
    this.dynamo.push(asked);
    const own = this.answers(asked);
    if (own) return own;
    const answer = carryOut(this.#backend, `${operation}Command`, JSON.parse(request.body!));
    const { status, errorName, body } = answer;
    return { status, body: JSON.stringify({ ...body, ...(errorName && { __type: errorName }) }) };
  }

  #s3(request: SentRequest): Answer {
    const asked = { ...request, operation: request.method, region: regionOf(request) };
    this.s3.push(asked);
    const own = this.answers(asked);
    if (own) return own;
    const { method, path, hostname, query } = request;
    const object = hostname.includes('.s3.') ? `${hostname.split('.')[0]}${path}` : path.slice(1);
    if (method === 'PUT') {
      this.objects.set(object, String(request.body));
      return { status: 200, body: '' };
    }
    const stored = this.objects.get(object);
    if (stored !== undefined) return { status: 200, body: stored };
    return { status: 200, body: this.#listing(query) };
  }

  #listing({ prefix = '', 'start-after': after = '', 'max-keys': most = '1000', delimiter }: Query): string {
    const found = delimiter ? [] : this.#keys.filter((key) => key.startsWith(prefix) && key > after);
    const page = found.slice(0, Number(most));
    const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('');
    const isTruncated = page.length < found.length;
    return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`;
  }
}

type Query = Readonly<Record<string, string>>;

function textOf(body: unknown): string | undefined {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : (body as string | undefined);
}

function regionOf({ headers }: SentRequest): string | undefined {
  return /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(headers.authorization ?? '')?.[1];
}
