export { type ObservedOptions, observed } from './observed.js';
export type { InvocationKeys } from './observer.js';
