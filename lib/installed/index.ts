export { ownAddress, resolveInstalled } from './resolve-installed.js';
