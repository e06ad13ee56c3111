import { Choice, Condition, JsonPath, Map as MapState, Pass } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../bin/start/state-machine/index.js';
import { LockedSection, type LockedSectionProps } from '../../../lib/cdk/index.js';
import type { Parts } from '../../support/cdk/section-bench.js';
import { type GivenLock, lockIn, useSectionBench } from '../../support/cdk/use-section-bench.js';

const stage = useSectionBench();
const { asked, expectFree, newName, oneSection } = stage;

describe('more than one', () => {
  it('executions: one at a time, none left out', async () => {
    const name = newName();
    const definition = oneSection();
    const inside = new Set<number>();
    const tokens: number[] = [];
    let most = 0;
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () =>
        stage.it.run(
          definition,
          { lockName: name },
          {
            async onTask(input) {
              const { token } = lockIn(input);
              inside.add(token);
              tokens.push(token);
              most = Math.max(most, inside.size);
            },
            beforeLock({ operation, token }) {
              if (operation === 'release') inside.delete(token!);
            },
          },
        ),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('SUCCEEDED'));
    expect(most).toBe(1);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    await expectFree(name);
  });

  const pathOf = (name: string) => JsonPath.stringAt(`$.${name}`);
  const section = (
    { stack, service }: Parts,
    id: string,
    props: Pick<LockedSectionProps, 'name' | 'states'>,
  ) => new LockedSection(stack, id, { service, lockPath: `$.${id.toLowerCase()}`, ...props });

  it('sections in sequence', async () => {
    const definition = stage.it.machine((parts) =>
      section(parts, 'First', { name: pathOf('a'), states: new Pass(parts.stack, 'One') }).next(
        section(parts, 'Second', { name: pathOf('a'), states: new Pass(parts.stack, 'Two') }),
      ),
    );
    const a = newName();
    const { output } = (await stage.it.run(definition, { a })) as unknown as {
      output: { first: GivenLock; second: GivenLock };
    };
    expect(output.second.token).toBeGreaterThan(output.first.token);
    await expectFree(a);
  });

  it('sections inside each other: both released when the inner states fail', async () => {
    const definition = stage.it.machine((parts) =>
      section(parts, 'Outer', {
        name: pathOf('a'),
        states: section(parts, 'Inner', {
          name: pathOf('b'),
          states: parts.task('Work', { act: 'throw:Odd' }),
        }),
      }),
    );
    const [a, b] = [newName(), newName()];
    let seen: Json | undefined;
    const outcome = await stage.it.run(
      definition,
      { a, b },
      {
        onTask(input) {
          seen = input;
        },
      },
    );
    expect(seen).toMatchObject({ input: { outer: { name: a }, inner: { name: b } } });
    expect(outcome).toEqual({ status: 'FAILED', error: 'Odd', cause: 'the card was refused' });
    await expectFree(a);
    await expectFree(b);
  });

  it('sections of one execution in a map: each item its own lock, the same one in turn', async () => {
    const definition = stage.it.machine((parts) =>
      new MapState(parts.stack, 'Each', { itemsPath: '$.items', maxConcurrency: 3 }).itemProcessor(
        section(parts, 'Batch', { name: pathOf('a'), states: parts.task('Work') }),
      ),
    );
    const [a, b] = [newName(), newName()];
    const outcome = await stage.it.run(definition, { items: [{ a }, { a: b }, { a }] });
    expect(outcome.status).toBe('SUCCEEDED');
    const leases = (name: string) =>
      new Set(stage.it.sent.filter((one) => one.name === name).map(({ leaseId }) => leaseId)).size;
    expect([leases(a), leases(b)]).toEqual([2, 1]);
    await expectFree(a);
    await expectFree(b);
  });

  it('a Catch around a section sees the error of its states, and the lock is free by then', async () => {
    const a = newName();
    const definition = stage.it.machine((parts) => {
      const held = section(parts, 'Section', { name: a, states: parts.task('Work', { act: 'throw:Odd' }) });
      const caught = parts.task('Repair');
      const single = held.toSingleState({ outputPath: '$[0]' });
      return single.addCatch(caught, { errors: ['Odd'], resultPath: '$.error' });
    });
    let freeInRepair: boolean | undefined;
    const outcome = await stage.it.run(
      definition,
      {},
      {
        async onTask(input) {
          if (JSON.stringify(input).includes('"error"')) {
            freeInRepair = (await stage.it.stage.item(a))?.leaseId === undefined;
          }
        },
      },
    );
    expect({ status: outcome.status, freeInRepair }).toEqual({ status: 'SUCCEEDED', freeInRepair: true });
    expect(Object.keys(definition.States)).toEqual(['Section', 'Repair']);
  });

  it('rounds of a loop: a new lease each time', async () => {
    const definition = stage.it.machine(({ stack, service }) => {
      const round = new Pass(stack, 'Round', {
        parameters: {
          a: JsonPath.stringAt('$.a'),
          left: JsonPath.mathAdd(JsonPath.numberAt('$.left'), -1),
          token: JsonPath.numberAt('$.lock.token'),
        },
      });
      const again = new LockedSection(stack, 'Section', { service, name: pathOf('a'), states: round });
      return again.next(
        new Choice(stack, 'More?')
          .when(Condition.numberGreaterThan('$.left', 0), again)
          .otherwise(new Pass(stack, 'Done')),
      );
    });
    const a = newName();
    expect(await stage.it.run(definition, { a, left: 3 })).toMatchObject({
      status: 'SUCCEEDED',
      output: { left: 0 },
    });
    expect(asked(a)).toEqual(['acquire', 'release', 'acquire', 'release', 'acquire', 'release']);
    expect(new Set(stage.it.sent.filter((one) => one.name === a).map(({ leaseId }) => leaseId)).size).toBe(3);
    await expectFree(a);
  });
});
