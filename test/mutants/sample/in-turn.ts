import { appendFileSync, readFileSync } from 'node:fs';
import { VitestTestRunner } from 'vitest/runners';
import type { Switches } from './switches.js';
import { type TestPlan, titleOf } from './test-plan.js';

type Test = Parameters<VitestTestRunner['onBeforeTryTask']>[0];
type Suite = Parameters<VitestTestRunner['onBeforeRunSuite']>[0];

/** What became of one test under one mutant, a line each in the journal: whoever begins and does not end has hung. */
export interface TurnNote {
  readonly file: string;
  readonly title: string;
  readonly id: string;
  /** `spoilt`: what the test said can't be believed, since it fails without any mutant, too. */
  readonly state: 'begins' | 'passed' | 'noticed' | 'spoilt';
}

const { LEASEHOLD_TEST_PLAN: planFile, LEASEHOLD_TURNS: journal } = process.env;

/** A test may take so much longer than it did without any change, and so long on top, in milliseconds. */
const slack = { times: 10, ms: 5_000 };

/**
 * Runs each test once for each mutant that it comes by, all in one process: what is loaded once judges all. At the end a
 * test that has noticed something must pass with none on, or nothing that it said counts. A process that something was left
 * behind in, or may have been, ends; what is left is for the next one.
 */
export default class InTurnRunner extends VitestTestRunner {
  readonly #plan: TestPlan = JSON.parse(readFileSync(planFile!, 'utf8'));
  readonly #noticed = new Set<string>();
  #turns: readonly string[] = [];
  #own: string[] = [];
  #current = -1;

  override async onBeforeRunSuite(suite: Suite): Promise<void> {
    // What nothing is left for need not start its engine.
    if (!this.#isLeft(suite)) suite.mode = 'skip';
    await super.onBeforeRunSuite(suite);
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    this.#turns = this.#idsOf(test);
    this.#own = [];
    this.#current = -1;
    if (this.#turns.length === 0) test.mode = 'skip';
    // One more, with none on.
    test.repeats = this.#turns.length;
    await super.onBeforeRunTask(test);
  }

  override onBeforeTryTask(test: Test, { repeats = 0 }: { retry?: number; repeats?: number } = {}): void {
    if (repeats !== this.#current) {
      this.#end(test);
      this.#current = repeats;
      test.result!.state = 'run';
      test.result!.errors = [];
      const id = this.#turns[repeats];
      switchOn(id ?? '');
      if (id !== undefined) this.#note(test, id, 'begins');
    }
    super.onBeforeTryTask(test);
  }

  async runTask(test: Test): Promise<void> {
    // Nothing was noticed: nothing is to be doubted.
    if (this.#current === this.#turns.length && this.#own.length === 0) return;
    const limitMs = slack.ms + slack.times * (this.#plan.turns![test.file.name]![titleOf(test)]!.ms ?? 0);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, limitMs, 'late');
    });
    const ended = await Promise.race([VitestTestRunner.getTestFn(test)(), late]);
    clearTimeout(timer);
    if (ended !== 'late') return;
    const id = this.#turns[this.#current];
    if (id !== undefined) this.#note(test, id, 'noticed');
    else this.#spoil(test);
    endProcess();
  }

  override onAfterRunTask(test: Test): void {
    this.#end(test);
    switchOn('');
    super.onAfterRunTask(test);
  }

  /** The turn that was under way. */
  #end(test: Test): void {
    if (this.#current < 0) return;
    const id = this.#turns[this.#current];
    const failed = test.result?.state === 'fail';
    if (id === undefined) {
      if (!failed) return;
      this.#spoil(test);
      endProcess();
    } else {
      this.#note(test, id, failed ? 'noticed' : 'passed');
      if (failed) {
        this.#noticed.add(id);
        this.#own.push(id);
      }
    }
  }

  #spoil(test: Test): void {
    for (const id of this.#own) this.#note(test, id, 'spoilt');
  }

  #idsOf(test: Test): readonly string[] {
    const turn = this.#plan.turns?.[test.file.name]?.[titleOf(test)];
    return (turn?.ids ?? []).filter((id) => !this.#noticed.has(id));
  }

  #isLeft(suite: Suite): boolean {
    return suite.tasks.some((task) =>
      task.type === 'suite' ? this.#isLeft(task) : this.#idsOf(task).length > 0,
    );
  }

  #note(test: Test, id: string, state: TurnNote['state']): void {
    const note: TurnNote = { file: test.file.name, title: titleOf(test), id, state };
    appendFileSync(journal!, `${JSON.stringify(note)}\n`);
  }
}

function switchOn(id: string): void {
  const switches = globalThis as { mutants?: { on: string } & Omit<Switches, 'on'> };
  switches.mutants ??= { on: id, reached: new Set(), loaded: new Set() };
  switches.mutants.on = id;
}

/** Nothing in here can be trusted any more. */
function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
