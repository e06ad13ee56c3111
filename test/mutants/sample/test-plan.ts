/** What vitest is told. */
export interface TestPlan {
  /** Files, or patterns for them, in the order in which they are run. */
  readonly files: readonly string[];
  /** The source of a pattern for titles. */
  readonly titles?: string;
  /** Which mutants each test of a file is run under, one after the other. */
  readonly turns?: Turns;
  /** Where vitest writes its report. */
  readonly report: string;
}

/** By file and title. */
export type Turns = Readonly<Record<string, Readonly<Record<string, Turn>>>>;

/** A test's mutants. */
export interface Turn {
  readonly ids: readonly string[];
  /** How long the test took without any, in milliseconds. */
  readonly ms: number;
}

interface Task {
  readonly name: string;
  readonly suite?: Task | undefined;
}

/** A test's name, as a pattern for titles meets it. */
export function titleOf(task: Task): string {
  const names = [task.name];
  for (let { suite } = task; suite; suite = suite.suite) names.unshift(suite.name);
  return names.join(' ');
}
