const shownLength = 8;

/** A slice's id, short: those of children are hashes, of which the first digits tell them apart. */
export function formatSlice(id: string): string {
  return id.length > shownLength ? `${id.slice(0, shownLength - 1)}…` : id;
}
