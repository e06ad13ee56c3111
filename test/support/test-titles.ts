import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tells whether a test of a file may bear a title: as a text of its own, or made of a template and texts that fill it.
 * Good enough to notice that a test was renamed or taken out, without loading it.
 *
 * @param path of a test file
 */
export function bearsTitle(path: string, title: string): boolean {
  const texts = textsOf(path);
  if (texts.includes(title)) return true;
  return texts.some((text) => {
    const fixed = text.split(/\$\{[^{}]*\}|%[sdifjo#]|\$\w+/);
    if (fixed.length < 2 || !/\w{3}/.test(fixed.join(''))) return false;
    const pattern = fixed.map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('(.*)');
    const filled = new RegExp(`^${pattern}$`, 's').exec(title);
    return filled?.slice(1).every((part) => texts.some((other) => other.includes(part))) ?? false;
  });
}

/** All test files below a folder. */
export function testFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((entry) => entry.endsWith('.test.ts')).map((entry) => join(folder, entry));
}

const known = new Map<string, readonly string[]>();

/** The texts of a test file, as far as they can be titles: whatever stands in quotes. Each file is read once. */
export function textsOf(path: string): readonly string[] {
  const texts = known.get(path) ?? literalsOf(readFileSync(path, 'utf8'));
  known.set(path, texts);
  return texts;
}

/** The texts in quotes, with their escapes resolved as far as titles need. */
function literalsOf(source: string): readonly string[] {
  const literal = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  return [...source.matchAll(literal)].map(([, a, b, c]) => (a ?? b ?? c ?? '').replace(/\\(.)/g, '$1'));
}
