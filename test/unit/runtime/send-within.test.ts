import { describe, expect, it } from 'vitest';
import { sendWithin } from '../../../lib/runtime/index.js';
import { VirtualTime } from '../../support/virtual-time.js';

/** Requests that end when they are told to, and the signals that they were given. */
function requests() {
  const time = new VirtualTime();
  const signals: AbortSignal[] = [];
  const answers: (() => void)[] = [];
  const send = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>((resolve) => answers.push(() => resolve('answer')));
  };
  return { time, signals, answers, send };
}

describe('a request within a time', () => {
  it('leaves its signal to a later one once it has ended by itself', async () => {
    const { time, signals, answers, send } = requests();
    const first = sendWithin(time, 1_000, undefined, send);
    answers[0]!();
    expect(await first).toBe('answer');
    await time.pass(0);
    const caller = new AbortController();
    const second = sendWithin(time, 1_000, caller.signal, send);
    expect(signals[1]).toBe(signals[0]);
    // The end of the first is not that of the second.
    await time.pass(900);
    expect(signals[1]!.aborted).toBe(false);
    caller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(signals[1]!.aborted).toBe(true);
  });

  it('never takes a signal over that aborted, or that of a request under way', async () => {
    const { time, signals, answers, send } = requests();
    const first = sendWithin(time, 1_000, undefined, send);
    first.catch(() => {});
    const second = sendWithin(time, 1_000, undefined, send);
    second.catch(() => {});
    expect(signals[1]).not.toBe(signals[0]);
    await time.pass(1_000);
    await expect(first).rejects.toMatchObject({ name: 'TimeoutError' });
    // Its answer comes after all.
    for (const answer of answers) answer();
    await expect(second).rejects.toMatchObject({ name: 'TimeoutError' });
    await time.pass(0);
    const third = sendWithin(time, 1_000, undefined, send);
    expect(signals[2]!.aborted).toBe(false);
    answers[2]!();
    await third;
  });

  it('sends nothing for a caller that has given up, and no timer is left, also where sending throws', async () => {
    const { time, signals, send } = requests();
    await expect(sendWithin(time, 1_000, AbortSignal.abort(new Error('gone')), send)).rejects.toThrow('gone');
    expect(signals).toEqual([]);
    const broken = () => {
      throw new Error('not sent');
    };
    await expect(sendWithin(time, 1_000, undefined, broken)).rejects.toThrow('not sent');
    expect(time.timers).toBe(0);
  });
});
