import { describe, expect, it } from 'vitest';
import { chaosOptionsOf } from '../../chaos/chaos-options.js';
import { ChaosProcess } from '../../support/chaos/chaos-process.js';

describe('the command line of chaos', () => {
  it('has defaults and takes fractions of minutes', () => {
    expect(chaosOptionsOf([])).toEqual({ minutes: 1, seed: 1, workers: 12, json: false, keep: undefined });
    expect(chaosOptionsOf(['--minutes', '0.5', '--json'])).toMatchObject({ minutes: 0.5, json: true });
    expect(chaosOptionsOf(['--help'])).toBeUndefined();
  });

  it.each([
    [['--minutes', 'long'], '--minutes'],
    [['--minutes', '0'], '--minutes'],
    [['--seed', '1.5'], '--seed'],
    [['--workers', '1'], '--workers'],
    [['--unknown'], '--unknown'],
    [['positional'], 'positional'],
  ])('refuses %j', (args, named) => {
    expect(() => chaosOptionsOf(args)).toThrow(named);
  });

  it('ends with code 2 and says why', async () => {
    await using run = await ChaosProcess.start('--minutes', 'long');

    expect(await run.ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--minutes'),
    });
  });
});
