export * from './store-clock.js';
