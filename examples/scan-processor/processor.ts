import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { eachObject, type Processor } from 'leasehold/scan';

/** What a slice has counted so far. It is stored with the slice's cursor, so a successor goes on from it. */
export interface LineCount {
  readonly objects: number;
  readonly lines: number;
}

/**
 * Reads each object and counts its lines, eight objects at a time. An object that can't be read is tried again, then
 * recorded by its key; the run ends as "completed with failures".
 */
export function countLines(s3: S3Client): Processor<LineCount> {
  return {
    empty: () => ({ objects: 0, lines: 0 }),
    async process(page, context) {
      let objects = 0;
      let lines = 0;
      await eachObject(
        page,
        async ({ key }) => {
          const object = await s3.send(new GetObjectCommand({ Bucket: page.bucket, Key: key }), {
            abortSignal: context.signal,
          });
          const text = (await object.Body?.transformToString()) ?? '';
          objects += 1;
          lines += text.split('\n').length - 1;
        },
        context,
      );
      return { objects, lines };
    },
    merge: (a, b) => ({ objects: a.objects + b.objects, lines: a.lines + b.lines }),
  };
}
