export * from './check-table.js';
export * from './create-table.js';
export * from './dynamo-table.js';
export * from './expression.js';
export * from './form.js';
export * from './item-table.js';
export * from './table-names.js';
