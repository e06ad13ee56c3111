import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { importName, type SubPath, subPaths } from './sub-paths.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Something that a sub-path exports. */
export interface PublicName {
  readonly name: string;
  /** Its declaration as users see it, without comments and private parts. */
  readonly text: string;
  readonly hasDocstring: boolean;
  /** Where it is declared: file and position. Two names for one thing have the same. */
  readonly declaredAt: string;
}

/** What each sub-path exports, by its import name; names in alphabetical order. */
export function publicNames(): ReadonlyMap<string, readonly PublicName[]> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const sources = subPaths.map(({ source }) => join(root, source));
  const program = ts.createProgram({ rootNames: sources, options });
  const checker = program.getTypeChecker();
  const read = ({ source }: SubPath) => {
    const file = program.getSourceFile(join(root, source))!;
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
    return symbols.map((symbol) => describe(symbol, checker)).sort((a, b) => (a.name < b.name ? -1 : 1));
  };
  return new Map(subPaths.map((one) => [importName(one), read(one)]));
}

function describe(exported: ts.Symbol, checker: ts.TypeChecker): PublicName {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declarations = symbol.declarations ?? [];
  const [first] = declarations;
  return {
    name: exported.name,
    text: declarations.map((one) => textOf(one, checker)).join('\n'),
    hasDocstring: symbol.getDocumentationComment(checker).length > 0,
    declaredAt: `${first?.getSourceFile().fileName}:${first?.pos}`,
  };
}

const printer = ts.createPrinter({ removeComments: true });

function textOf(node: ts.Declaration, checker: ts.TypeChecker): string {
  const print = (one: ts.Node) => printer.printNode(ts.EmitHint.Unspecified, one, node.getSourceFile());
  if (ts.isClassDeclaration(node)) {
    const heritage = (node.heritageClauses ?? []).map(print).join(' ');
    const members = node.members.filter(isPublic).flatMap((member) => {
      const signature = memberText(member, checker, print);
      return signature ? [`  ${signature}`] : [];
    });
    return [`class ${node.name?.text}${heritage && ` ${heritage}`} {`, ...members, '}'].join('\n');
  }
  if (ts.isFunctionDeclaration(node)) return `function ${node.name?.text}${signatureText(node, checker)}`;
  if (ts.isVariableDeclaration(node)) {
    return `const ${node.name.getText()}: ${checker.typeToString(checker.getTypeAtLocation(node), node, flags)}`;
  }
  return print(ts.isInterfaceDeclaration(node) ? publicPart(node) : node).replace(/^export (declare )?/, '');
}

const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;

/** Neither marked as internal, which the declarations leave out, nor the body behind some overloads. */
function isPublic(member: ts.Node): boolean {
  if (ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')) return false;
  if (!(ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)) || !member.body) return true;
  const nameOf = ({ name }: ts.ClassElement) => name?.getText();
  const isOverload = (one: ts.ClassElement) =>
    one.kind === member.kind && nameOf(one) === nameOf(member) && !(one as ts.MethodDeclaration).body;
  return !(member.parent as ts.ClassDeclaration).members.some(isOverload);
}

function publicPart(node: ts.InterfaceDeclaration): ts.Node {
  const { modifiers, name, typeParameters, heritageClauses, members } = node;
  return ts.factory.updateInterfaceDeclaration(
    node,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members.filter(isPublic),
  );
}

function memberText(
  member: ts.ClassElement,
  checker: ts.TypeChecker,
  print: (node: ts.Node) => string,
): string | undefined {
  const hidden = ts.ModifierFlags.Private;
  if (ts.getCombinedModifierFlags(member) & hidden) return undefined;
  if (member.name && ts.isPrivateIdentifier(member.name)) return undefined;
  if (ts.isClassStaticBlockDeclaration(member)) return undefined;
  const isStatic = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static ? 'static ' : '';
  const name = member.name ? print(member.name) : '';
  if (ts.isConstructorDeclaration(member))
    return `constructor${signatureText(member, checker).replace(/: [^:]*$/, '')}`;
  if (ts.isMethodDeclaration(member)) return `${isStatic}${name}${signatureText(member, checker)}`;
  if (ts.isSetAccessor(member)) return undefined;
  const type = checker.typeToString(checker.getTypeAtLocation(member), member, flags);
  return `${isStatic}${ts.isGetAccessor(member) ? 'get ' : ''}${name}: ${type}`;
}

function signatureText(node: ts.SignatureDeclaration, checker: ts.TypeChecker): string {
  const signature = checker.getSignatureFromDeclaration(node);
  return signature ? checker.signatureToString(signature, node, flags) : '()';
}

/** The report of a sub-path: what its users can name, one after the other. */
export function reportText(name: string, names: readonly PublicName[]): string {
  const parts = names.map(({ name: exported, text }) => `### ${exported}\n\n\`\`\`ts\n${text}\n\`\`\`\n`);
  return `# ${name}\n\nMade by \`npm run api\` of the sources; a test compares.\n\n${parts.join('\n')}`;
}

/** Where a report stands: `docs/reference/api/leasehold-fence-s3.md`. */
export function reportPath(name: string): string {
  return join(root, 'docs/reference/api', `${name.replaceAll('/', '-')}.md`);
}
