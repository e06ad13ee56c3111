export * from './errors.js';
export * from './known-errors.js';
export * from './quoted.js';
export * from './refusals.js';
export * from './to-failure.js';
