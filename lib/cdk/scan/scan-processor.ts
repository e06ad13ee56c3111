import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { resolveInstalled } from '../../installed/resolve-installed.js';
import { checkKnown } from '../functions/known.js';

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

/** How a processor's source file is bundled. */
export interface ProcessorBundleOptions {
  /** Modules that are not bundled, as they are in a layer. The runtime's own SDK is bundled, too. @default none */
  readonly external?: readonly string[];
  /** Whether the code is minified; names are kept, as the names of errors count. @default true */
  readonly minify?: boolean;
}

/** What is used of esbuild, which is the user's own. */
interface Esbuild {
  buildSync(options: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Bundles a module into one ESM file when the app is synthesized. In this process, by the esbuild that is installed:
 * CDK would start Docker where there is none.
 *
 * @throws Error if the file or esbuild is not there; what esbuild finds fault with
 */
function bundledProcessor(entry: string, { external = [], minify = true }: ProcessorBundleOptions): Code {
  checkKnown({ entry, external, minify }, ['entry', 'external', 'minify'], 'ScanProcessor.fromEntry: ');
  const path = resolve(entry);
  if (!existsSync(path)) throw new Error(`ScanProcessor.fromEntry: there is no file "${path}"`);
  const esbuild = esbuildFor(path);
  return Code.fromAsset(dirname(path), {
    // What counts is what comes out; the folder around the entry may hold anything.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('never-used'),
      local: {
        tryBundle(directory) {
          esbuild.buildSync({
            entryPoints: [{ in: path, out: 'index' }],
            outdir: directory,
            outExtension: { '.js': '.mjs' },
            // What is switched off is never loaded.
            splitting: true,
            chunkNames: 'chunks/[name]-[hash]',
            absWorkingDir: dirname(path),
            bundle: true,
            platform: 'node',
            format: 'esm',
            target: 'node20',
            mainFields: ['module', 'main'],
            external,
            minify,
            keepNames: true,
            logLevel: 'warning',
            // CommonJS parts of the SDK call `require`, which an ESM bundle does not have by itself.
            banner: {
              js: "import { createRequire as leaseholdRequire } from 'node:module'; const require = leaseholdRequire(import.meta.url);",
            },
          });
          return true;
        },
      },
    },
  });
}

/** The user's esbuild: as seen from the entry before all others. */
function esbuildFor(entry: string): Esbuild {
  const path = resolveInstalled('esbuild', entry);
  if (path) return createRequire(path)(path) as Esbuild;
  throw new Error(
    `ScanProcessor.fromEntry: bundling "${entry}" needs esbuild; npm install --save-dev esbuild, or build it yourself and use ScanProcessor.fromDirectory`,
  );
}
