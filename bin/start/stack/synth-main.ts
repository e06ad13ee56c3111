/**
 * Runs in a process of its own: synthesizes the stack and sends the state machine's definition to the parent. CDK is
 * large, and loading it would stop this project's view for seconds.
 */
import type { LeaseholdStackProps } from '../../../lib/cdk/index.js';
import { synthesizedStateMachine } from '../state-machine/synthesized-state-machine.js';

const props = JSON.parse(process.argv[2] ?? '{}') as LeaseholdStackProps;
const definition = await synthesizedStateMachine(props);
// Without a parent there is nobody to tell.
process.send?.(definition, undefined, undefined, () => process.disconnect());
