export * from './errors.js';
export * from './quoted.js';
