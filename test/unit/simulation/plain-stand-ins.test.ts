import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { middlewareOf } from '../../simulation/net/middleware.js';
import { PlainCommand } from '../../simulation/net/plain-commands.js';
import { WeakMap as PlainWeakMap, WeakSet as PlainWeakSet } from '../../simulation/world/plain-weak.js';

describe('what stands in for the platform in the simulator', () => {
  it('a plain command hands on what rides on it as one of the SDK does, and refuses what is not simulated', () => {
    const answers = [PlainCommand, UpdateItemCommand].map((Kind) => {
      // biome-ignore lint/suspicious/noExplicitAny: the SDK types its middleware by command
      const command = new Kind({ TableName: 'leases', Key: {} }) as any;
      const steps = ['initialize', 'deserialize'];
      const added = steps.map((step) => Object.assign(() => async () => ({}), { step }));
      for (const middleware of added) command.middlewareStack.add(middleware, { step: middleware.step });
      const { outer, inner } = middlewareOf(command);
      expect(outer).toBe(added[0]);
      expect(inner).toBe(added[1]);
      const again = new Kind({ TableName: 'leases', Key: {} }) as typeof command;
      const refusal = (step: string) => {
        try {
          again.middlewareStack.add(() => async () => ({}), { step });
          middlewareOf(again);
          return undefined;
        } catch (error) {
          return (error as Error).name;
        }
      };
      return [command.input, refusal('deserialize'), refusal('build')];
    });
    expect(answers[0]).toEqual([{ TableName: 'leases', Key: {} }, undefined, 'NotSimulated']);
    expect(answers[1]).toEqual(answers[0]);
  });

  it('a plain map and set know of each object what the platform’s know', () => {
    const [one, other] = [{}, {}];
    const [first, second] = [PlainWeakMap as unknown as WeakMapConstructor, WeakMap].map((Kind) => {
      const map = new Kind<object, number>();
      const beside = new Kind<object, number>();
      map.set(one, 1).set(other, 2);
      beside.set(one, 3);
      const log = [map.get(one), map.has(other), map.delete(other), map.delete(other), map.get(other)];
      return [...log, map.has(other), map.set(other, 4).get(other), beside.get(one), beside.has(other)];
    });
    expect(first).toEqual(second);
    const [plain, platform] = [PlainWeakSet as unknown as WeakSetConstructor, WeakSet].map((Kind) => {
      const set = new Kind<object>();
      const log = [set.has(one), set.add(one).has(one), set.has(other), set.delete(one), set.delete(one)];
      return [...log, set.has(one)];
    });
    expect(plain).toEqual(platform);
  });
});
