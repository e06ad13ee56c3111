import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alarmKinds } from '../../../lib/cdk/observability/leasehold-alarms.js';
import { logListeners } from '../../../lib/lambda/observability/logs.js';
import { metricUnits } from '../../../lib/lambda/observability/metric-names.js';
import { rowsOf } from '../../support/docs/construct-pages.js';
import { sampleEvents } from '../../support/sample-events.js';

const page = (name: string) => readFileSync(new URL(`../../../docs/guides/${name}`, import.meta.url), 'utf8');

describe('docs/guides/operating.md', () => {
  const operating = page('operating.md');

  it.each(Object.keys(alarmKinds))('says of the alarm %s what it means and what to do', (name) => {
    const [, section = ''] = operating.split(`### \`${name}\`\n`);
    const [text] = section.split(/^##/m);
    expect(text).toMatch(/\*\*Means\.\*\* .{40}/s);
    expect(text).toMatch(/\*\*Do\.\*\* .{40}/s);
  });

  it('tells of no alarm that there is not', () => {
    const headings = [...operating.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name!);
    expect(headings.sort()).toEqual(Object.keys(alarmKinds).sort());
  });

  it('quotes only lines that are logged', () => {
    const quoted = [...operating.matchAll(/`([a-z]+(?: [a-z]+)+)`/g)].map(([, text]) => text!);
    expect(quoted.length).toBeGreaterThan(5);
    const logged = [...linesByLevel().keys(), 'invocation failed'];
    expect(
      quoted.filter((text) => /^(lock|lease|slice|table|stale|renewal|release|invocation)\b/.test(text)),
    ).toEqual(quoted.filter((text) => logged.includes(text)));
  });
});

describe('docs/guides/observability.md', () => {
  const rows = (heading: string) =>
    page('observability.md')
      .split(`\n## ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));

  it('has every metric with its unit', () => {
    expect(rows('Metrics').map(([, name, unit]) => [name, unit])).toEqual(Object.entries(metricUnits));
  });

  it('has every line with its level', () => {
    const told = new Map(rows('Logs').map(([, message, level]) => [message!, level!.split(/,| /)[0]!]));
    expect(told.get('invocation failed')).toBe('ERROR');
    told.delete('invocation failed');
    const logged = new Map([...linesByLevel()].map(([message, level]) => [message, level.toUpperCase()]));
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(logged));
  });

  it('has every threshold with the default of the alarm', () => {
    const defaults = rowsOf('docs/guides/observability.md', 'AlarmThresholds').map((row) => [
      row.name,
      row.default.split(':')[0],
    ]);
    expect(defaults).toEqual(
      Object.entries(alarmKinds).map(([name, { threshold }]) => [name, String(threshold)]),
    );
  });
});

/** Every line that some event is logged as, with its level. */
function linesByLevel(): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  const listeners = logListeners((level, message) => lines.set(message, level));
  const calm = { takenOverFrom: undefined, takenOver: false };
  for (const [name, listener] of Object.entries(listeners)) {
    const event = sampleEvents[name as keyof typeof sampleEvents];
    for (const one of [event, { ...event, ...calm }]) listener(one as never);
  }
  return lines;
}
