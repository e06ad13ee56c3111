import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundledProcessor, type ProcessorBundleOptions } from './processor-bundle.js';

/**
 * A processor of your own, as the code of the work and the verify function: one module that exports both, made with
 * `createScanHandlers` of `leasehold/scan`. Both run the same code, because verify merges what work has made.
 */
export class ScanProcessor {
  /**
   * A bundle that you have built: a directory that holds `index.mjs` (or `index.js`) with the exports `work` and
   * `verify`.
   *
   * @throws Error if there is no such file
   */
  static fromDirectory(directory: string): ScanProcessor {
    const there = ['index.mjs', 'index.js', 'index.cjs'].some((file) => existsSync(join(directory, file)));
    if (!there) {
      throw new Error(
        `ScanProcessor.fromDirectory: "${resolve(directory)}" must hold index.mjs, which exports work and verify`,
      );
    }
    return new ScanProcessor(Code.fromAsset(directory));
  }

  /**
   * A source file, bundled at synthesis. Needs esbuild in your app (`npm install --save-dev esbuild`), never Docker.
   *
   * @param entry the path of a `.ts` or `.js` module that exports `work` and `verify`
   * @throws Error if the file or esbuild is not there; what esbuild finds fault with
   */
  static fromEntry(entry: string, options: ProcessorBundleOptions = {}): ScanProcessor {
    return new ScanProcessor(bundledProcessor(entry, options));
  }

  /** Code from anywhere else, such as a bucket, with the exports `work` and `verify` in a module named `index`. */
  static fromCode(code: Code): ScanProcessor {
    return new ScanProcessor(code);
  }

  private constructor(
    /** The code of both functions; their handlers are `index.work` and `index.verify`. */
    readonly code: Code,
  ) {}
}
