import { S3Error } from './s3-error.js';

const lineEnd = Buffer.from('\r\n');
const longestHeaderBytes = 8_192;

/**
 * Takes the data out of a body in the `aws-chunked` coding: `<hex size>[;extensions]`, data, …, a chunk of
 * size 0, trailers. Signatures and checksums in extensions and trailers are read over.
 *
 * @throws S3Error `IncompleteBody` when the body ends before the last chunk or is no such coding.
 */
export async function* decodeAwsChunked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffered: Buffer = Buffer.alloc(0);
  let left = 0;
  let state: 'size' | 'data' | 'data-end' | 'trailers' = 'size';
  for await (const piece of body) {
    buffered = buffered.length === 0 ? piece : Buffer.concat([buffered, piece]);
    for (;;) {
      if (state === 'data') {
        const data = buffered.subarray(0, left);
        if (data.length > 0) yield data;
        buffered = buffered.subarray(data.length);
        left -= data.length;
        if (left > 0) break;
        state = 'data-end';
      }
      if (state === 'trailers') break;
      const end = buffered.indexOf(lineEnd);
      if (end < 0) {
        if (buffered.length > longestHeaderBytes) throw incomplete();
        break;
      }
      const line = buffered.subarray(0, end).toString('latin1');
      buffered = buffered.subarray(end + lineEnd.length);
      if (state === 'data-end') {
        if (line !== '') throw incomplete();
        state = 'size';
        continue;
      }
      left = chunkSize(line);
      state = left === 0 ? 'trailers' : 'data';
    }
    if (state === 'trailers') buffered = Buffer.alloc(0);
  }
  if (state !== 'trailers') throw incomplete();
}

function chunkSize(line: string): number {
  const digits = line.split(';', 1)[0] ?? '';
  if (!/^[0-9a-f]{1,12}$/i.test(digits)) throw incomplete();
  return Number.parseInt(digits, 16);
}

function incomplete(): S3Error {
  return new S3Error('IncompleteBody', 400, 'The request body terminated unexpectedly.');
}
