import { createHash } from 'node:crypto';
import { answered, refused, type StoreAnswer } from '../store/answers.js';
import { NotSimulated } from '../store/attribute-values.js';
import type { Cluster } from '../world/cluster.js';

// biome-ignore lint/suspicious/noExplicitAny: the inputs of the SDK's commands, told apart by the command's name
type AnyInput = any;

interface StoredObject {
  readonly etag: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const buckets = new WeakMap<Cluster, GuardedObjects>();

/** The one bucket of a schedule. */
export function guardedObjectsOf(cluster: Cluster): GuardedObjects {
  const objects = buckets.get(cluster) ?? new GuardedObjects(cluster);
  buckets.set(cluster, objects);
  return objects;
}

/** A bucket that takes conditional writes as S3 does: by an ETag that is of the body and of nothing else. */
export class GuardedObjects {
  readonly #cluster: Cluster;
  readonly #objects = new Map<string, StoredObject>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  carryOut(operation: string, input: AnyInput): StoreAnswer {
    const stored = this.#objects.get(input.Key);
    switch (operation) {
      case 'HeadObjectCommand':
        return stored
          ? answered({ ETag: stored.etag, Metadata: stored.metadata })
          : refused('NotFound', `there is no ${input.Key}`);
      case 'PutObjectCommand':
        return this.#put(input, stored);
      default:
        throw new NotSimulated(`the command ${operation}`);
    }
  }

  #put(
    { Key, Body, Metadata, IfMatch, IfNoneMatch }: AnyInput,
    stored: StoredObject | undefined,
  ): StoreAnswer {
    if (IfMatch !== undefined && stored === undefined) return refused('NoSuchKey', `there is no ${Key}`);
    const isUnchanged = (IfMatch ?? stored?.etag) === stored?.etag && !(IfNoneMatch === '*' && stored);
    if (!isUnchanged) return refused('PreconditionFailed', 'the object is another one');
    const etag = createHash('md5').update(Body).digest('hex');
    this.#objects.set(Key, { etag, metadata: Metadata });
    const { history, nowMs: atMs } = this.#cluster;
    const token = Number(Metadata['leasehold-token']);
    history.records.push({ kind: 'accepted', atMs, resource: `s3/${Key}`, by: Metadata.by, token });
    return answered({ ETag: etag });
  }
}
