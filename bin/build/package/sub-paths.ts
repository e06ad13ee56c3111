/** A name that the package can be imported by. */
export interface SubPath {
  /** As in the manifest's `exports`. */
  readonly path: string;
  /** Its source file, from the package's root. */
  readonly source: string;
  /** Its file's name in `dist`, without an extension. */
  readonly file: string;
  /** Packages that it can't be loaded without, as they stand in an install command. */
  readonly needs: readonly string[];
}

const dynamo = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

/** All names that the package can be imported by. The manifest's `exports` and `typesVersions` are made of these. */
export const subPaths: readonly SubPath[] = [
  { path: '.', source: 'lib/index.ts', file: 'index', needs: dynamo },
  { path: './fence', source: 'lib/fence/index.ts', file: 'fence', needs: dynamo },
  {
    path: './fence/s3',
    source: 'lib/fence/s3/index.ts',
    file: 'fence-s3',
    needs: [...dynamo, '@aws-sdk/client-s3'],
  },
  { path: './scan', source: 'lib/scan/index.ts', file: 'scan', needs: [...dynamo, '@aws-sdk/client-s3'] },
  { path: './lambda', source: 'lib/lambda/index.ts', file: 'lambda', needs: dynamo },
  { path: './cdk', source: 'lib/cdk/index.ts', file: 'cdk', needs: ['aws-cdk-lib', 'constructs'] },
  { path: './local', source: 'lib/local/index.ts', file: 'local', needs: dynamo },
];

/** `leasehold/fence` of `./fence`. */
export const importName = ({ path }: Pick<SubPath, 'path'>) => `leasehold${path.slice(1)}`;

const declaration = ({ source }: SubPath) => source.replace(/\.ts$/, '.d.ts');

/**
 * What the manifest says of them.
 *
 * - `module` is for bundlers, whichever way they were asked: ES modules, from which they take what is used.
 * - Node gets the same CommonJS code by `import` and by `require`, so that a process has one copy of it.
 * - `typesVersions` is for TypeScript's old resolution, which does not read `exports`.
 */
export function manifestParts() {
  return {
    main: './dist/node/index.cjs',
    types: './dist/cjs/types/lib/index.d.ts',
    typesVersions: {
      '*': Object.fromEntries(
        subPaths
          .filter(({ path }) => path !== '.')
          .map((one) => [one.path.slice(2), [`./dist/cjs/types/${declaration(one)}`]]),
      ),
    },
    exports: {
      ...Object.fromEntries(
        subPaths.map((one) => [
          one.path,
          {
            module: `./dist/esm/${one.file}.js`,
            import: {
              types: `./dist/types/${one.file}.d.ts`,
              default: `./dist/node/${one.file}.js`,
            },
            require: {
              types: `./dist/cjs/types/${declaration(one)}`,
              default: `./dist/node/${one.file}.cjs`,
            },
          },
        ]),
      ),
      './package.json': './package.json',
    },
  };
}
