import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type PublicName,
  publicNames,
  reportPath,
  reportText,
} from '../../../bin/build/package/api-report.js';
import { importName, manifestParts, subPaths } from '../../../bin/build/package/sub-paths.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let exported: ReadonlyMap<string, readonly PublicName[]>;

beforeAll(() => {
  exported = publicNames();
}, 240_000);

describe('what users can name', () => {
  it.each(subPaths.map(importName))(
    '%s is as its report says; after a change that is meant: npm run api',
    async (name) => {
      const report = await readFile(reportPath(name), 'utf8').catch(() => '');
      expect(reportText(name, exported.get(name)!)).toBe(report);
    },
  );

  it('has a docstring each', () => {
    const bare = [...exported].flatMap(([path, names]) =>
      names.filter(({ hasDocstring }) => !hasDocstring).map(({ name }) => `${path}: ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it('leads to no internals: neither ports, nor what only those need who build on leases', () => {
    const text = reportText('leasehold', exported.get('leasehold')!);
    const internals =
      /\b(LeaseContext|LeaseStore|ItemTable|StoreClock|ItemChange|Grant|change\?:|giveUpWhen\?:|renewWith|completeWith|context:)/;
    expect(text.match(internals)?.[0]).toBeUndefined();
  });

  it('means one thing, whichever sub-path it comes from', () => {
    const places = new Map<string, Set<string>>();
    for (const { name, declaredAt } of [...exported.values()].flat()) {
      places.set(name, (places.get(name) ?? new Set()).add(declaredAt));
    }
    expect([...places].filter(([, at]) => at.size > 1).map(([name]) => name)).toEqual([]);
  });
});

describe('the manifest', () => {
  it('has the sub-paths that are built; after a change: npm run manifest', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject(manifestParts());
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(manifestParts().exports));
    expect(manifest.sideEffects).toBe(false);
  });

  it('has nothing that a package manager runs or warns of when it installs', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(Object.keys(manifest)).not.toContain('workspaces');
    const run = [
      'preinstall',
      'install',
      'postinstall',
      'prepare',
      'prepublish',
      'preprepare',
      'postprepare',
    ];
    expect(Object.keys(manifest.scripts).filter((name) => run.includes(name))).toEqual([]);
  });

  it('brings at most two packages besides the clients of the SDK', async () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      await readFile(join(root, 'package.json'), 'utf8'),
    );
    const brought = Object.keys({ ...dependencies, ...peerDependencies }).filter(
      (name) => !peerDependenciesMeta[name]?.optional,
    );
    expect(brought.sort()).toEqual([
      '@aws-sdk/client-dynamodb',
      '@aws-sdk/lib-dynamodb',
      // The latter's own dependency, at the version that it has.
      '@aws-sdk/util-dynamodb',
    ]);
  });
});

describe('links in what is packed', () => {
  it('lead to what is packed', async () => {
    const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const docs = (await readdir(join(root, 'docs'), { recursive: true }))
      .map((path) => join('docs', path))
      .filter(
        (path) =>
          !files.some((one: string) => one.startsWith('!') && `${path}/`.startsWith(`${one.slice(1)}/`)),
      );
    const pages = ['README.md', 'CHANGELOG.md', ...docs].filter((path) => path.endsWith('.md'));
    const packed = new Set(['README.md', 'CHANGELOG.md', 'LICENSE', 'package.json', 'docs', ...docs]);
    const broken: string[] = [];
    for (const page of pages) {
      const text = await readFile(join(root, page), 'utf8');
      for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const [path] = link!.split('#') as [string];
        if (path === '' || /^[a-z]+:/.test(path)) continue;
        const target = join(dirname(page), path).replace(/\/$/, '');
        // What is nowhere at all is found by the test of the documents.
        if (existsSync(join(root, target)) && !packed.has(target)) broken.push(`${page}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });
});
