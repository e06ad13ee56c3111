export type { InvocationKeys } from './invocation-keys.js';
export { type ObservedOptions, observed } from './observed.js';
