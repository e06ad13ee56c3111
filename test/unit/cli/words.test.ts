import { describe, expect, it } from 'vitest';
import { locationText, s3Location } from '../../../bin/cli/scan/scan-options.js';
import { formatDuration } from '../../../bin/terminal/figures.js';
import { durationMs } from '../../../bin/terminal/option-readers.js';
import { jsonText } from '../../../bin/terminal/output.js';
import { textTable } from '../../../bin/terminal/text-table.js';

describe('words on the command line', () => {
  it('reads durations with a unit only', () => {
    expect(['30s', '5m', '1500ms', '1.5h', '2d'].map(durationMs)).toEqual([
      30_000, 300_000, 1_500, 5_400_000, 172_800_000,
    ]);
    for (const wrong of ['30', '', 's', '-1s', '1e3s', '1 s', '0s', '5 minutes', '0.1ms']) {
      expect(() => durationMs(wrong)).toThrow(/unit/);
    }
  });

  it('shows durations in their two largest units', () => {
    const shown = [0, 1_234, 12_400, 60_000, 200_000, 3_600_000, 3_605_000, 187_200_000].map(formatDuration);
    expect(shown).toEqual(['0.0s', '1.2s', '12s', '1m', '3m 20s', '1h', '1h', '2d 4h']);
  });

  it('takes a prefix as it stands', () => {
    expect(s3Location('s3://b')).toEqual({ bucket: 'b', prefix: '' });
    expect(s3Location('s3://b/')).toEqual({ bucket: 'b', prefix: '' });
    expect(s3Location('s3://b//a%20b/ü\n')).toEqual({ bucket: 'b', prefix: '/a%20b/ü\n' });
    expect(locationText(s3Location('s3://b/log'))).toBe('s3://b/log');
    for (const wrong of ['', 'b/p', 's3://', 's3:///p', 'http://b/p']) {
      expect(() => s3Location(wrong)).toThrow(/s3:\/\/bucket/);
    }
  });

  it('writes as JSON what DynamoDB stores and JSON does not know', () => {
    const value = { big: 2n ** 70n, set: new Set([1]), bytes: new Uint8Array([104, 105]) };
    expect(JSON.parse(jsonText(value))).toEqual({ big: '1180591620717411303424', set: [1], bytes: 'aGk=' });
  });

  it('draws lines on a terminal, and only aligns in a pipe', () => {
    const columns = [{ title: 'KEY' }, { title: 'BYTES', align: 'right' }] as const;
    const rows = [
      ['a', '1'],
      ['longer', '1000'],
    ];
    expect(textTable(columns, rows, 'plain')).toBe('KEY     BYTES\na           1\nlonger   1000');
    expect(textTable(columns, rows, 'terminal')).toMatch(/^┌─/);
  });
});
