import { describe, expect, it } from 'vitest';
import { LockLostError } from '../../../../lib/errors/index.js';
import { publish } from '../../../../lib/events/events.js';
import type { LibraryEvents } from '../../../../lib/lambda/observability/library-events.js';
import { type LogLevel, loggedError, logListeners, logs } from '../../../../lib/lambda/observability/logs.js';
import { ownListeners } from '../../../support/lambda/own-listeners.js';
import { sampleEvents } from '../../../support/sample-events.js';

type Name = keyof LibraryEvents;
interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The lines that an event brings, with fields of its own in the place of the sample's. */
function linesOf(name: Name, more: object = {}): readonly Line[] {
  const lines: Line[] = [];
  const listeners = logListeners((level, message, fields) => lines.push({ level, message, fields }));
  listeners[name]?.({ ...sampleEvents[name], ...more } as never);
  return lines;
}

/** What says nothing that another event's line does not say, or comes all the time. */
const silent: ReadonlySet<Name> = new Set(['scan-page-claimed', 'scan-split-refused', 'scan-seat-waits']);
const told = (Object.keys(sampleEvents) as Name[]).filter((name) => !silent.has(name));

/** Left out on purpose: what could end a lease, what follows from another field, what is an error's own. */
const leftOut: Readonly<Record<string, readonly Name[]>> = {
  ...{ leaseId: told, lease: told },
  ...{ takenOver: ['scan-slice-acquired'], error: ['lost'], expiresAt: ['handed-over'] },
  token: ['scan-slice-quarantined'],
};

/** What a field is called in a line, where it is called otherwise. */
const called: Readonly<Record<string, string>> = { name: 'lock', operation: 'resource' };

describe('a line of the log', () => {
  it.each(told)('is what %s brings, one, with all that the event tells', (name) => {
    const [line, ...more] = linesOf(name);
    expect(more).toEqual([]);
    expect(line?.message).toMatch(/^[a-z][a-z ]+$/);
    for (const [field, value] of Object.entries(sampleEvents[name])) {
      if (leftOut[field]?.includes(name)) continue;
      const logged = value instanceof Error ? loggedError(value) : value;
      const where = field === 'name' && 'name' in line!.fields ? 'name' : (called[field] ?? field);
      expect([where, line!.fields[where]]).toEqual([where, logged]);
    }
  });

  it('never has a lease id: who knows it can release the lease', () => {
    const leaseId = 'the key to the lease';
    const holder = { owner: 'p', token: 1, leaseId, acquiredAt: 1, remainingMs: 2 };
    const carrying = ['leaseId', 'lease', 'takenOverFrom', 'holder'];
    for (const name of told.filter((one) => carrying.some((field) => field in sampleEvents[one]))) {
      const lines = linesOf(name, { leaseId, holder, takenOverFrom: { ...holder }, lease: { leaseId } });
      expect([name, JSON.stringify(lines)]).not.toEqual([name, expect.stringContaining(leaseId)]);
    }
  });

  const levels: Readonly<Record<Exclude<LogLevel, 'info'>, readonly Name[]>> = {
    debug: ['renewed', 'scan-page-done'],
    warn: [
      ...(['granted', 'renewal-failed', 'release-failed', 'stale-write-refused', 'throttled'] as const),
      ...(['scan-slice-acquired', 'scan-slice-lost', 'scan-foreign-item'] as const),
    ],
    error: ['lost', 'scan-slice-quarantined'],
  };
  it.each(told)(
    'is DEBUG for what comes all the time, and louder where an operator may have to look: %s',
    (name) => {
      const level = Object.entries(levels).find(([, names]) => names.includes(name))?.[0] ?? 'info';
      expect(linesOf(name)[0]?.level).toBe(level);
    },
  );

  it.each([
    ['granted', { takenOverFrom: undefined }, 'info', 'lock granted'],
    ['granted', {}, 'warn', 'lock taken over'],
    ['lead-ended', { why: 'lost' }, 'warn', 'leads no more'],
    ['scan-slice-acquired', { takenOver: false, takenOverFrom: undefined }, 'info', 'slice taken'],
    ['scan-slice-acquired', {}, 'warn', 'slice taken over'],
    ['scan-slice-released', { why: 'failed' }, 'warn', 'slice given back'],
  ] as const)('says by its level how %s %j went: %s', (name, more, level, message) => {
    expect(linesOf(name, more)).toMatchObject([{ level, message }]);
  });

  it('has whole milliseconds, and who holds where that is known', () => {
    expect(linesOf('released', { heldMs: 5.4 })[0]?.fields).toMatchObject({ heldMs: 5 });
    expect(linesOf('granted', { waitedMs: 2.6 })[0]?.fields).toMatchObject({ waitedMs: 3 });
    expect(linesOf('permit-granted', { waitedMs: 2.6 })[0]?.fields).toMatchObject({ waitedMs: 3 });
    const holder = { owner: 'p', token: 1, acquiredAt: 1, remainingMs: 2 };
    expect(linesOf('held', { holder })[0]?.fields).toMatchObject({ holder });
  });
});

describe('an error in a log', () => {
  it('has its name, message, stack, code and reason, and nothing else', () => {
    const error = Object.assign(new LockLostError('n', 'expired', 2, { result: 'secret' }), {
      data: 'secret',
    });
    const { stack, ...rest } = loggedError(error);
    expect(stack).toBe(error.stack);
    expect(rest).toEqual({
      ...{ name: 'LockLostError', message: error.message, code: 'LOCK_LOST', reason: 'expired' },
    });
    expect(loggedError('a text')).toEqual({ name: 'Error', message: 'a text' });
    const odd = Object.assign(new Error('m'), { code: 7, reason: {}, stack: undefined });
    expect(loggedError(odd)).toEqual({ name: 'Error', message: 'm' });
  });

  it('has three causes, one within the other: more explain nothing', () => {
    let error: unknown = 'the first';
    for (let i = 0; i < 6; i++) error = new Error(`error ${i}`, { cause: error });
    const messages: string[] = [];
    for (let logged = loggedError(error); logged; logged = logged.cause!) messages.push(logged.message);
    expect(messages).toEqual(['error 5', 'error 4', 'error 3', 'error 2']);
    expect(loggedError(new Error('m', { cause: 'why' })).cause).toEqual({ name: 'Error', message: 'why' });
  });
});

/** Structured logs by a writer that notes what it is told. */
function scene() {
  const told: unknown[][] = [];
  const made: unknown[] = [];
  const noting =
    (what: string) =>
    (...given: unknown[]) =>
      void told.push([what, ...given]);
  class Writer {
    constructor(options: unknown) {
      made.push(options);
    }
    readonly debug = noting('debug');
    readonly info = noting('info');
    readonly warn = noting('warn');
    readonly error = noting('error');
    readonly addContext = noting('addContext');
    readonly appendKeys = noting('appendKeys');
    readonly resetKeys = noting('resetKeys');
  }
  const settings = { serviceName: 'orders', flushEveryMs: 1, runtime: { monotonicMs: () => 0 } };
  return { told, made, observer: logs(Writer, settings) };
}

describe('the logs of an invocation', () => {
  it('carry the service, its context and its keys, to its end', () => {
    using _ = ownListeners();
    const { told, made, observer } = scene();
    expect(made).toEqual([{ serviceName: 'orders' }]);
    const context = { awsRequestId: '1' };
    const end = observer.begin(context, { lock: 'x' });
    expect(told).toEqual([
      ['addContext', context],
      ['appendKeys', { lock: 'x' }],
    ]);
    told.length = 0;
    publish('renewed', sampleEvents.renewed);
    end();
    expect(told).toEqual([['debug', 'lease renewed', expect.objectContaining({ lock: 'n' })], ['resetKeys']]);
  });

  it.each([
    ['LockHeldError', 'info'],
    ['AlreadyCompletedError', 'info'],
    ['LockLostError', 'error'],
    ['TypeError', 'error'],
  ])('tell of one that failed by a %s: %s, since only some answer a question', (name, level) => {
    using _ = ownListeners();
    const { told, observer } = scene();
    const end = observer.begin({}, {});
    told.length = 0;
    const error = Object.assign(new Error('trouble'), { name });
    end({ error });
    expect(told).toEqual([[level, 'invocation failed', { error: loggedError(error) }], ['resetKeys']]);
  });

  it('tell of what was thrown and is no error', () => {
    using _ = ownListeners();
    const { told, observer } = scene();
    observer.begin({}, {})({ error: undefined });
    expect(told.at(-2)).toEqual(['error', 'invocation failed', { error: loggedError(undefined) }]);
  });
});
