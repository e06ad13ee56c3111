export * from './errors.js';
export * from './known-errors.js';
export * from './refusals.js';
