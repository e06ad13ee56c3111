export * from './deadline.js';
export * from './runtime.js';
export * from './sleep.js';
export * from './system-runtime.js';
