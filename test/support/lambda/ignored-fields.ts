import { allStates, type StateMachineDefinition } from '../../../bin/start/state-machine/state-definition.js';

/** Fields of a definition that the local interpreter reads over: what they do is not tested here. */
const ignored = [
  'Label',
  'ToleratedFailureCount',
  'ToleratedFailurePercentage',
  'ItemReader',
  'ItemBatcher',
  'ResultWriter',
  'HeartbeatSeconds',
  'Assign',
];

/** What of a definition runs otherwise than in Step Functions, as `state: field`. */
export function ignoredFields(definition: StateMachineDefinition): readonly string[] {
  return [...allStates(definition)].flatMap(([name, state]) => [
    ...ignored.filter((field) => state[field] !== undefined).map((field) => `${name}: ${field}`),
    ...(isDistributed(state.ItemProcessor)
      ? [`${name}: Mode DISTRIBUTED runs inline, without executions of its own`]
      : []),
    ...(state.Resource?.includes('waitForTaskToken') ? [`${name}: task token`] : []),
  ]);
}

function isDistributed(processor: StateMachineDefinition | undefined): boolean {
  const config = processor?.ProcessorConfig as { readonly Mode?: string } | undefined;
  return config?.Mode === 'DISTRIBUTED';
}
