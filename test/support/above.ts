/** In an expected value: any number above this one. Tokens rise by what the store's time has passed, at least by one. */
export function above(limit: number): number {
  const matcher = {
    asymmetricMatch: (value: unknown) => typeof value === 'number' && value > limit,
    toString: () => `above ${limit}`,
  };
  return matcher as unknown as number;
}
