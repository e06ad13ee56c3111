/** Values by a key of theirs, in their order. */
export function grouped<Value>(
  values: readonly Value[],
  toKey: (value: Value) => string,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(toKey(value));
    if (group) group.push(value);
    else groups.set(toKey(value), [value]);
  }
  return groups;
}
