export * from './abort.js';
export * from './deadline.js';
export * from './loaded-later.js';
export * from './retry.js';
export * from './runtime.js';
export * from './send-within.js';
