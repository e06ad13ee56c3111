import type { S3Client } from '@aws-sdk/client-s3';
import { SimS3 } from '../../simulation/scan/sim-s3.js';

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
  /** Answers nothing any more: requests end when they are aborted. */
  hangs = false;
  readonly s3: Pick<S3Client, 'send'>;

  constructor(keys: readonly string[]) {
    const simulated = new SimS3([...new Set(keys)]);
    const send = async (command: Command, { abortSignal }: { readonly abortSignal: AbortSignal }) => {
      this.asked.push(command.input);
      this.trouble(command.input);
      if (this.hangs) await aborted(abortSignal);
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

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: ListInput;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
