import ts from 'typescript';

/** Ways in which TypeScript looks for a package's types. */
export const typeModes = {
  node10: { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 },
  node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
} as const satisfies Record<string, ts.CompilerOptions>;

/** Files that were parsed already: most of the time goes into the SDK's. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * What the compiler says, with the declarations of packages checked, too.
 *
 * @param files absolute paths
 * @param mode how packages are looked for
 * @param folder whose `@types` are seen
 */
export function typeErrors(
  files: readonly string[],
  mode: keyof typeof typeModes,
  folder: string,
): readonly string[] {
  const options: ts.CompilerOptions = {
    ...typeModes[mode],
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [`${folder}/node_modules/@types`],
  };
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (path, language, ...rest) => {
    const format = typeof language === 'object' ? language.impliedNodeFormat : undefined;
    const key = `${format} ${path}`;
    if (!parsed.has(key)) parsed.set(key, parse(path, language, ...rest));
    return parsed.get(key);
  };
  host.getCurrentDirectory = () => folder;
  const program = ts.createProgram({ rootNames: [...files], options, host });
  return ts.getPreEmitDiagnostics(program).map((one) => {
    const text = ts.flattenDiagnosticMessageText(one.messageText, '\n');
    return one.file ? `${one.file.fileName}: ${text}` : text;
  });
}
