import { expect, it } from 'vitest';
import { useThePackage } from './use-the-package.js';

it('locks', async () => {
  expect(await useThePackage()).toBe('true true');
}, 60_000);
