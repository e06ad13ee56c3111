import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planStrikes } from '../../../bin/start/faults/plan-strikes.js';
import { checkProperty } from '../../support/property.js';

const ground = fc.record({
  seed: fc.nat(),
  seats: fc.integer({ min: 1, max: 8 }),
  slices: fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 })
    .map((counts) => counts.map((pages, index) => ({ id: `s${index}`, pages }))),
});

describe('the plan of the faults', () => {
  it('is the same for the same seed, strikes pages that exist, and says what it leaves out', () => {
    checkProperty(
      fc.property(ground, (given) => {
        const plan = planStrikes(given);
        expect(planStrikes(given)).toEqual(plan);
        expect(plan.strikes.length + plan.notes.length).toBeGreaterThanOrEqual(1);
        expect(new Set(plan.strikes.map(({ slice }) => slice)).size).toBe(plan.strikes.length);
        for (const { slice, page } of plan.strikes) {
          const pages = given.slices.find(({ id }) => id === slice)!.pages;
          expect(page).toBeLessThanOrEqual(pages);
          // The first page is the last resort.
          expect(page).toBeGreaterThanOrEqual(Math.min(2, pages));
        }
        if (plan.strikes.length < 2) expect(plan.notes).not.toEqual([]);
        if (given.seats === 1) expect(plan.strikes.map(({ kind }) => kind)).not.toContain('stop');
      }),
    );
  });

  it('differs between seeds', () => {
    const slices = Array.from({ length: 8 }, (_, index) => ({ id: `s${index}`, pages: 9 }));
    const plans = Array.from({ length: 20 }, (_, seed) => planStrikes({ seed, seats: 8, slices }));
    expect(new Set(plans.map((plan) => JSON.stringify(plan))).size).toBeGreaterThan(10);
  });

  it('strikes the second page where nobody counted', () => {
    const slices = [{ id: 'a' }, { id: 'b' }];
    const { strikes, notes } = planStrikes({ seed: 1, seats: 2, slices });
    expect(strikes.map(({ page }) => page)).toEqual([2, 2]);
    expect(notes).toEqual([]);
  });
});
