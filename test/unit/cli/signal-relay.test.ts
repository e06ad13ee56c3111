import { describe, expect, it } from 'vitest';
import type { CommandGroup } from '../../../bin/cli/run/command-group.js';
import { SignalRelay } from '../../../bin/cli/run/signal-relay.js';

describe.skipIf(process.platform === 'win32')('the relay of signals', () => {
  it('C44 looks at the lease before a stopped command goes on: no timer may be due after a machine’s sleep', () => {
    const order: string[] = [];
    const group = { signal: (signal: string) => order.push(signal) > 0 } as unknown as CommandGroup;
    using relay = new SignalRelay();
    relay.keepForCommand(() => order.push('looked at the lease'));
    relay.passOnTo(group);
    process.emit('SIGCONT', 'SIGCONT');
    expect(order).toEqual(['looked at the lease', 'SIGCONT']);
  });

  it('C44 passes on a signal that came while the command was being started', () => {
    const signals: string[] = [];
    const group = { signal: (signal: string) => signals.push(signal) > 0 } as unknown as CommandGroup;
    using relay = new SignalRelay();
    process.emit('SIGTERM', 'SIGTERM');
    expect(relay.interruption.aborted).toBe(true);
    relay.passOnTo(group);
    expect(signals).toEqual(['SIGTERM']);
  });

  it('C44 keeps what is the command’s alone until the command has started', () => {
    const signals: string[] = [];
    const group = { signal: (signal: string) => signals.push(signal) > 0 } as unknown as CommandGroup;
    using relay = new SignalRelay();
    relay.keepForCommand(() => signals.push('looked at the lease'));
    process.emit('SIGUSR1', 'SIGUSR1');
    process.emit('SIGCONT', 'SIGCONT');
    expect(relay.interruption.aborted).toBe(false);
    relay.passOnTo(group);
    expect(signals).toEqual(['SIGUSR1', 'looked at the lease', 'SIGCONT']);
  });

  it('leaves no listener behind', () => {
    const before = process.eventNames().length;
    const relay = new SignalRelay();
    relay.keepForCommand(() => {});
    relay.passOnTo({ signal: () => true } as unknown as CommandGroup);
    relay[Symbol.dispose]();
    expect(process.eventNames()).toHaveLength(before);
  });
});
