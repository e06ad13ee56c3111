import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../lib/index.js';

const page = await readFile(new URL('../../../docs/reference/defaults.md', import.meta.url), 'utf8');

/** What the page of defaults says of an option. */
function told(option: string): string {
  const row = page
    .split('\n')
    .find((line) => line.startsWith('| `') && line.split('|')[1]!.includes(`\`${option}\``));
  const [, options, values] = row?.split('|') ?? [];
  const position = options?.match(/`\w+`/g)?.indexOf(`\`${option}\``) ?? -1;
  return (
    values
      ?.split(/, (?=\d)/)
      .at(position)
      ?.trim() ?? ''
  );
}

describe('docs/reference/defaults.md', () => {
  it.each([
    'leaseMs',
    'waitMs',
    'pollFloorMs',
    'pollCeilingMs',
    'requestTimeoutMs',
    'maxAttempts',
    'skewMs',
  ] as const)('tells the default of %s that the code has', (option) => {
    expect(told(option)).toBe(defaults[option].toLocaleString('en-US'));
  });

  it('tells the fractions and the retention that the code has', () => {
    const words = new Map([
      [1 / 3, 'a third of the lease'],
      [1 / 10, 'a tenth of the lease'],
    ]);
    expect(told('renewEveryMs')).toBe(words.get(defaults.renewFraction));
    expect(told('safetyMarginMs')).toBe(words.get(defaults.safetyMarginFraction));
    expect(told('retentionMs')).toBe(`${defaults.retentionMs / 86_400_000} days`);
  });
});
