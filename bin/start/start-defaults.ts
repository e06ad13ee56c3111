/** What `npm start` does unless told otherwise: one constant per default, read by the code and by `--help`. */
export const startDefaults = {
  seats: 6,
  slices: 24,
  pageSize: 150,
  lease: '4s',
  seed: 7,
} as const;

/** Limits of the options. Each seat is a process of its own, so there is an end to them. */
export const startLimits = {
  seats: { least: 1, most: 64 },
  slices: { least: 1, most: 10_000 },
  pageSize: { least: 1, most: 1_000 },
  leaseMs: { least: 1_000, most: 600_000 },
  seed: { least: 0, most: 0xffff_ffff },
} as const;
