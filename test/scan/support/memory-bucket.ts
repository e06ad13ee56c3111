import type { S3Client } from '@aws-sdk/client-s3';
import { SimS3 } from '../../../sim/scan/sim-s3.js';

/** What a list request asked for. */
export interface ListInput {
  readonly Bucket: string;
  readonly Prefix: string;
  readonly EncodingType: string;
  readonly MaxKeys?: number;
  readonly StartAfter?: string;
  readonly Delimiter?: string;
}

/** The simulator's S3, asked directly: for plans by the thousand. What it is asked for is written down. */
export class MemoryBucket {
  readonly asked: ListInput[] = [];
  /** Throws instead of an answer, where it throws. */
  trouble: (input: ListInput) => void = () => {};
  readonly s3: Pick<S3Client, 'send'>;

  constructor(keys: readonly string[]) {
    const simulated = new SimS3([...new Set(keys)]);
    const send = async (command: {
      readonly constructor: { readonly name: string };
      readonly input: ListInput;
    }) => {
      this.asked.push(command.input);
      this.trouble(command.input);
      return simulated.carryOut(command.constructor.name, command.input).body;
    };
    this.s3 = { send } as unknown as Pick<S3Client, 'send'>;
  }

  /** Pages that were asked for. */
  get pages(): readonly ListInput[] {
    return this.asked.filter(({ MaxKeys, Delimiter }) => MaxKeys !== 1 && Delimiter === undefined);
  }

  /** Where probes looked. */
  get probes(): readonly (string | undefined)[] {
    return this.asked.filter(({ MaxKeys }) => MaxKeys === 1).map(({ StartAfter }) => StartAfter);
  }
}
