import { JsonPath } from 'aws-cdk-lib/aws-stepfunctions';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Json } from '../../../bin/start/state-machine/index.js';
import { LockedSection, type LockedSectionProps } from '../../../lib/cdk/index.js';
import { until } from '../until.js';
import { type SectionBench, sectionBench } from './section-bench.js';

/** A section with one task. */
export type OneSection = Partial<LockedSectionProps> & { readonly act?: string; readonly timeoutS?: number };

/** The lock that a task was given. */
export interface GivenLock {
  readonly name: string;
  readonly token: number;
  readonly leaseId: string;
}

/** What a task was given, out of its input. */
export const lockIn = (input: Json) => (input as unknown as { input: { lock: GivenLock } }).input.lock;

/** An error by its name, as the service's and a task's are told apart. */
export function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** A bench for a test file, and what its tests ask of it. */
export function useSectionBench() {
  let bench: SectionBench;
  let names = 0;
  beforeAll(async () => {
    bench = await sectionBench();
  });
  afterEach(() => {
    bench.answers.onApplied = undefined;
  });
  afterAll(() => bench?.[Symbol.asyncDispose]());

  /** A machine that is one section with one task. */
  const oneSection = (options: OneSection = {}) =>
    bench.machine(({ stack, service, task }) => {
      const { act, timeoutS, ...props } = options;
      const states = task('Work', { ...(act && { act }), ...(timeoutS && { timeoutS }) });
      return new LockedSection(stack, 'Section', {
        service,
        name: JsonPath.stringAt('$.lockName'),
        states,
        ...props,
      });
    });

  return {
    get it(): SectionBench {
      return bench;
    },
    newName: () => `lock-${++names}`,
    oneSection,

    /** Requests about a lock, as `operation` or `operation operation …`. */
    asked: (name: string) => bench.sent.filter((one) => one.name === name).map(({ operation }) => operation),

    async expectFree(name: string): Promise<void> {
      expect(await bench.stage.item(name)).toMatchObject({ name, version: expect.any(Number) });
      expect((await bench.stage.item(name))?.leaseId).toBeUndefined();
    },

    /** Somebody else, with a table of their own. */
    other: () => bench.stage.actor({ leaseMs: 60_000, renewEveryMs: 20_000 }),

    /** An execution that holds a lock and was stopped from outside. */
    async abortedHolder(name: string, executionName: string): Promise<GivenLock> {
      const stop = new AbortController();
      let held: GivenLock | undefined;
      const aborted = bench.run(
        oneSection({ act: 'hang' }),
        { lockName: name },
        {
          name: executionName,
          signal: stop.signal,
          onTask(input) {
            held = lockIn(input);
          },
        },
      );
      const stopped = expect(aborted).rejects.toThrow('stopped');
      await until('the task runs', () => held !== undefined, 20_000);
      stop.abort(new Error('stopped'));
      await stopped;
      expect(await bench.stage.item(name)).toMatchObject({ leaseId: held!.leaseId });
      return held!;
    },
  };
}
