/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One state of a definition, as far as this module reads it. */
export interface StateDefinition {
  readonly Type: string;
  readonly Resource?: string;
  readonly ItemProcessor?: StateMachineDefinition;
  readonly Branches?: readonly StateMachineDefinition[];
  readonly [field: string]: unknown;
}

/** An Amazon States Language definition. */
export interface StateMachineDefinition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, StateDefinition>>;
  readonly [field: string]: unknown;
}

/** Every state of a definition with its name, those inside maps and branches too. */
export function* allStates(
  definition: StateMachineDefinition,
): Generator<readonly [string, StateDefinition]> {
  for (const [name, state] of Object.entries(definition.States)) {
    yield [name, state];
    if (state.ItemProcessor) yield* allStates(state.ItemProcessor);
    for (const branch of state.Branches ?? []) yield* allStates(branch);
  }
}
