import { acquireMutants } from './acquire-mutants.js';
import { clockMutants } from './clock-mutants.js';
import { derivedCallMutants } from './derived-call-mutants.js';
import { fenceMutants } from './fence-mutants.js';
import { handOverMutants } from './hand-over-mutants.js';
import { holdingMutants } from './holding-mutants.js';
import type { Mutant } from './mutant.js';
import { scanMutants } from './scan-mutants.js';
import { serviceMutants } from './service-mutants.js';

/** Every protection that can be taken out. */
export const mutants: readonly Mutant[] = [
  ...clockMutants,
  ...acquireMutants,
  ...holdingMutants,
  ...fenceMutants,
  ...handOverMutants,
  ...derivedCallMutants,
  ...serviceMutants,
  ...scanMutants,
];
