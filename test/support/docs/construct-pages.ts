import { readFileSync } from 'node:fs';
import ts from 'typescript';

const root = new URL('../../../', import.meta.url);

/** A property, as its interface says or as a page's table shows it. */
export interface PropRow {
  readonly name: string;
  /** What counts without it; `required` where there is no doing without. */
  readonly default: string;
}

/**
 * The properties of an exported interface: its own, not those that it inherits.
 *
 * @param file from the repository's root
 * @throws Error if there is no such interface, or if a property that may be left out has no `@default`
 */
export function propsOf(file: string, name: string): PropRow[] {
  const text = readFileSync(new URL(file, root), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found = source.statements.find(
    (node): node is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(node) && node.name.text === name,
  );
  if (!found) throw new Error(`${file} has no interface ${name}`);
  return found.members.filter(ts.isPropertySignature).map((member) => {
    const property = member.name.getText(source);
    const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'default');
    const text = tag && oneLine(ts.getTextOfJSDocComment(tag.comment) ?? '');
    if (member.questionToken && !text) throw new Error(`${name}.${property} has no @default`);
    return { name: property, default: text ?? 'required' };
  });
}

/**
 * The rows of the first table below the heading that names the interface: the first column is the property, the last
 * its default.
 *
 * @throws Error if the page has no such heading, or no table below it
 */
export function rowsOf(page: string, name: string): PropRow[] {
  const lines = readFileSync(new URL(page, root), 'utf8').split('\n');
  const heading = lines.findIndex((line) => /^#{2,4} /.test(line) && line.includes(`\`${name}\``));
  if (heading < 0) throw new Error(`${page} has no heading with \`${name}\``);
  const start = lines.findIndex((line, i) => i > heading && line.startsWith('|'));
  const between = lines.slice(heading + 1, start);
  if (start < 0 || between.some((line) => line.startsWith('#'))) {
    throw new Error(`${page} has no table below \`${name}\``);
  }
  const rows: PropRow[] = [];
  // After the titles and the rule below them.
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    rows.push({ name: plain(cells[1]!), default: plain(cells.at(-2)!) });
  }
  return rows;
}

/** Cells may set names and values in code; docstrings may, too. */
function plain(cell: string): string {
  return cell.replaceAll('`', '').replaceAll('\\|', '|');
}

function oneLine(text: string): string {
  return plain(text.replace(/\s+/g, ' ').trim());
}
