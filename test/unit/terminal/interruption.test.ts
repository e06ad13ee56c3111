import { describe, expect, it } from 'vitest';
import type { CommandGroup } from '../../../bin/cli/run/command-group.js';
import { SignalRelay } from '../../../bin/cli/run/signal-relay.js';
import { listenForInterruption, sameWishMs, wishCounter } from '../../../bin/terminal/interruption.js';

describe('a wish to stop', () => {
  it('D22 that comes twice a millisecond apart is one; a second one a moment later counts', () => {
    let nowMs = 1_000;
    const counts = wishCounter(() => nowMs);
    const at = (ms: number) => {
      nowMs = ms;
      return counts();
    };
    expect([at(1_000), at(1_001), at(1_000 + sameWishMs - 1)]).toEqual([true, false, false]);
    // Counted from the one that counted: whoever holds Ctrl-C down is heard again.
    expect([at(1_000 + sameWishMs), at(1_001 + sameWishMs)]).toEqual([true, false]);
  });

  it('D22 aborts once for two signals of a service manager, and says which came first', () => {
    const told: string[] = [];
    using interruption = listenForInterruption({ onFirst: (signal) => told.push(signal) });
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGHUP', 'SIGHUP');
    expect(told).toEqual(['SIGTERM']);
    expect(interruption.signal.reason).toMatchObject({ name: 'Interrupted', exitCode: 143 });
    expect(interruption.ended('put away', { left: 0 })).toMatchObject({
      message: 'stopped by SIGTERM; put away',
      data: { left: 0 },
    });
  });

  it('D22 takes the second of two signals although all is put away by then', () => {
    const interruption = listenForInterruption();
    process.emit('SIGINT', 'SIGINT');
    interruption[Symbol.dispose]();
    // Without a listener it would end this process.
    expect(process.listenerCount('SIGINT')).toBeGreaterThan(0);
    expect(process.emit('SIGINT', 'SIGINT')).toBe(true);
  });

  it('leaves no listener behind', () => {
    const before = process.eventNames().length;
    listenForInterruption({ alsoCrashes: true })[Symbol.dispose]();
    // What a reader that has gone away does stays handled, on the streams.
    expect(process.eventNames()).toHaveLength(before);
  });

  it.skipIf(process.platform === 'win32')(
    'D22 reaches a command once, and each of several signals by its own name',
    () => {
      const signals: string[] = [];
      using relay = new SignalRelay();
      relay.keepForCommand(() => {});
      relay.passOnTo({ signal: (name: string) => signals.push(name) > 0 } as unknown as CommandGroup);
      for (const name of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGUSR1', 'SIGUSR1'] as const)
        process.emit(name, name);
      expect(signals).toEqual(['SIGINT', 'SIGTERM', 'SIGUSR1', 'SIGUSR1']);
    },
  );
});
