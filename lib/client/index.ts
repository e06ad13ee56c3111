export type { HoldOptions, LockClientOptions } from './client-options.js';
export { defaults } from './defaults.js';
export * from './lock-client.js';
export type { LockInfo } from './lock-info.js';
