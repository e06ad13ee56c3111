export * from './acquire-request.js';
export * from './hold-terms.js';
export * from './holder-requests.js';
export * from './lease.js';
export * from './lease-context.js';
export * from './lease-item.js';
export * from './lease-store.js';
export * from './table-store.js';
