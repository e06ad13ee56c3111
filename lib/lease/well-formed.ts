/** Whether the text has a UTF-8: a lone surrogate has none, and all of them would become the same replacement character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
