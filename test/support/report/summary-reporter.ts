import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/**
 * Ends the output of a run with what was skipped, by name with the reason in it, with what passed only when it was tried
 * again, and with the time that it took.
 */
export class SummaryReporter implements Reporter {
  #startMs = 0;
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(): void {
    this.#startMs = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // What was not chosen by a name counts as skipped, too; there is no sense in naming that.
    if (this.#vitest?.getGlobalTestNamePattern() === undefined) tellSkipped(modules);
    tellRetried(modules);
    const seconds = Math.round((performance.now() - this.#startMs) / 1000);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    console.log(`\nthe tests took ${clock} minutes`);
  }
}

function tellSkipped(modules: readonly TestModule[]): void {
  const skipped = modules.flatMap((module) => [...skippedIn(module)]);
  console.log(`\nskipped: ${skipped.length === 0 ? 'nothing' : ''}`);
  for (const line of skipped) console.log(`  ${line}`);
}

/** A second chance hides what fails now and then: each use of one is told. */
function tellRetried(modules: readonly TestModule[]): void {
  for (const module of modules) {
    for (const test of module.children.allTests('passed')) {
      const { retryCount = 0 } = test.diagnostic() ?? {};
      if (retryCount === 0) continue;
      const times = retryCount === 1 ? 'once' : `${retryCount} times`;
      console.log(`tried again ${times}: ${module.relativeModuleId} > ${test.fullName}`);
    }
  }
}

/** A suite that is skipped as a whole is one line. */
function* skippedIn(parent: TestModule | TestSuite): Generator<string> {
  for (const child of parent.children) {
    const isSkipped = child.options.mode === 'skip' || child.options.mode === 'todo';
    if (isSkipped) yield child.fullName + reasonOf(child);
    else if (child.type === 'suite') yield* skippedIn(child);
  }
}

function reasonOf(child: TestCase | TestSuite): string {
  if (child.type !== 'test') return '';
  const result = child.result();
  return result.state === 'skipped' && result.note ? ` (${result.note})` : '';
}
