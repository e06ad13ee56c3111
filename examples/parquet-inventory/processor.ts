import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Processor } from 'leasehold/scan';

/** A Parquet file in the output bucket that counts, and how many objects it lists. */
export interface ParquetFile {
  readonly bucket: string;
  readonly key: string;
  readonly objects: number;
}

/** What a slice has written so far: large lists go to the output bucket by themselves. */
export interface Written {
  readonly files: readonly ParquetFile[];
}

/**
 * Lists the objects in Parquet files, one a page. Each is written below the slice's fencing token, so a worker that was
 * superseded writes elsewhere; its files are in no result. Read those that the report names, and nothing else.
 */
export const parquetInventory: Processor<Written> = {
  empty: () => ({ files: [] }),
  async process({ objects }, { output }) {
    const file = parquetWriteBuffer({
      columnData: [
        { name: 'key', type: 'STRING', data: objects.map(({ key }) => key) },
        { name: 'size', type: 'INT64', data: objects.map(({ size }) => BigInt(size)) },
        {
          name: 'last_modified',
          type: 'TIMESTAMP',
          data: objects.map(({ lastModifiedMs }) => new Date(lastModifiedMs)),
        },
        { name: 'storage_class', type: 'STRING', data: objects.map(({ storageClass }) => storageClass) },
        { name: 'etag', type: 'STRING', data: objects.map(({ etag }) => etag) },
      ],
    });
    const { bucket, key } = await output.put('objects.parquet', new Uint8Array(file), {
      contentType: 'application/vnd.apache.parquet',
    });
    return { files: [{ bucket, key, objects: objects.length }] };
  },
  merge: (a, b) => ({ files: [...a.files, ...b.files] }),
};
