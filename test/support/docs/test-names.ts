import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

const known = new Map<string, Promise<readonly string[]>>();

/** The texts of a test file, as far as they can be names: whatever stands in quotes. Each file is read once. */
export function textsOf(file: string): Promise<readonly string[]> {
  const texts = known.get(file) ?? readTexts(file);
  known.set(file, texts);
  return texts;
}

async function readTexts(file: string): Promise<readonly string[]> {
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/** All test files below a folder. */
export async function testFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((entry) => entry.endsWith('.test.ts')).map((entry) => join(folder, entry));
}
