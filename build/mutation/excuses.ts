import type { Excuse } from './compare.js';

/** Every mutant that lives, and why it may. A new one needs a test, or a line here. */
export const excuses: readonly Excuse[] = [];
