import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { LambdaBundle } from './lambda-bundles.js';
import { loadedAtStart } from './loaded-at-start.js';

/** What was measured, and what it may be at most. */
export interface Share {
  readonly name: string;
  readonly bytes: number;
  /** Absent: nobody has said how large this may be, which counts as too large. */
  readonly budgetBytes: number | undefined;
  /** Chunks that a start does not load. */
  readonly laterBytes?: number;
  /** By gzip, as it travels; for information only. */
  readonly compressedBytes?: number;
}

const kilobyte = 1_000;

/**
 * What a cold start of each function may load, the SDK in it, in bytes. A start reads and compiles all of it, so each
 * is kept near what it is today; who needs more says so here.
 */
const functionBudgets: Readonly<Record<string, number>> = {
  'lock-service': 500 * kilobyte,
  // The scan's functions have the client of S3 besides, a quarter of each, and share what any of them has.
  plan: 580 * kilobyte,
  sweep: 400 * kilobyte,
  verify: 580 * kilobyte,
  work: 580 * kilobyte,
};

/**
 * What a program loads that imports `LockClient` and brings its own SDK, minified: what takes, holds and gives back a
 * lock of a table. The rest (what is known of errors, listings, completions, the service's part, `once`, `cronSlot`,
 * `claimNext`, `resume`, operators) comes in chunks of its own with the first call that needs it. The aim is 30 KB;
 * what follows a refused write, and the texts of `toStorable`, are the next to go.
 */
export const clientBudgetBytes = 46 * kilobyte;

/** The functions' shares, each with its budget. */
export function functionShares(bundles: readonly LambdaBundle[]): readonly Share[] {
  return bundles.map(({ name, bytes, laterBytes }) => ({
    name: `lambda ${name}`,
    bytes,
    laterBytes,
    budgetBytes: functionBudgets[name],
  }));
}

/** The client's own share: its code without the SDK's, as a user's bundler minifies it. */
export async function clientShare(): Promise<Share> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: "export { LockClient } from './index.js';",
      resolveDir: fileURLToPath(new URL('../../lib', import.meta.url)),
    },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@aws-sdk/*', '@smithy/*'],
    splitting: true,
    outdir: 'client',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const atStart = new Set(loadedAtStart(metafile, 'client/stdin.js'));
  const code = Buffer.concat(
    outputFiles
      .filter(({ path }) => atStart.has(relative(process.cwd(), path)))
      .map(({ contents }) => contents),
  );
  return {
    name: 'LockClient without the SDK',
    bytes: code.byteLength,
    compressedBytes: gzipSync(code).byteLength,
    budgetBytes: clientBudgetBytes,
  };
}

/** One line for people. */
export function shareLine({ name, bytes, budgetBytes, laterBytes = 0, compressedBytes }: Share): string {
  const compressed = compressedBytes === undefined ? '' : `, ${inKilobytes(compressedBytes)} compressed`;
  const later = laterBytes > 0 ? `, and ${inKilobytes(laterBytes)} loaded only when needed` : compressed;
  if (budgetBytes === undefined) return `${name}: ${inKilobytes(bytes)}${later}; it has no budget`;
  const over = bytes > budgetBytes ? ': TOO LARGE' : '';
  return `${name}: ${inKilobytes(bytes)} of ${inKilobytes(budgetBytes)}${later}${over}`;
}

/** Whether it keeps to its budget. */
export function fits({ bytes, budgetBytes }: Share): boolean {
  return budgetBytes !== undefined && bytes <= budgetBytes;
}

const inKilobytes = (bytes: number) => `${(bytes / kilobyte).toFixed(1)} KB`;
