/** A failure of one object. */
export interface ObjectFailure {
  readonly key: string;
  readonly error: string;
}

/** Pages whose output was written under one token, by page number, both included. */
export interface PublishedPages {
  readonly token: number;
  readonly from: number;
  readonly to: number;
}

/** What a slice's pages came to, up to its cursor; kept next to the processor's own result. */
export interface Tally {
  readonly objects: number;
  readonly bytes: number;
  readonly pages: number;
  readonly listRequests: number;
  readonly takeovers: number;
  readonly failureCount: number;
  /** The first ones; `failureCount` is the number of all. */
  readonly failures: readonly ObjectFailure[];
  readonly published: readonly PublishedPages[];
}

/** Failures named in one slice's item. */
const maxFailures = 20;
const maxErrorLength = 200;

/** The tally of nothing. */
export const emptyTally: Tally = {
  objects: 0,
  bytes: 0,
  pages: 0,
  listRequests: 0,
  takeovers: 0,
  failureCount: 0,
  failures: [],
  published: [],
};

/** What one page adds. */
export interface PageOutcome {
  readonly token: number;
  /** The page's number. */
  readonly number: number;
  readonly objects: readonly { readonly size: number }[];
  readonly failures: readonly ObjectFailure[];
}

/** A tally with one more page in it. */
export function withPage(tally: Tally, page: PageOutcome): Tally {
  return {
    ...tally,
    objects: tally.objects + page.objects.length,
    bytes: page.objects.reduce((bytes, { size }) => bytes + size, tally.bytes),
    pages: tally.pages + 1,
    failureCount: tally.failureCount + page.failures.length,
    failures: [...tally.failures, ...page.failures].slice(0, maxFailures),
    published: withPublished(tally.published, page),
  };
}

/** One failure, in a size that can be stored. */
export function objectFailure(key: string, error: unknown): ObjectFailure {
  return { key, error: shortMessage(error) };
}

/** An error in few words. */
export function shortMessage(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.length > maxErrorLength ? `${text.slice(0, maxErrorLength)}…` : text;
}

function withPublished(published: readonly PublishedPages[], page: PageOutcome): readonly PublishedPages[] {
  const last = published.at(-1);
  const { token, number } = page;
  // Only pages that are done count: those that a crashed holder had claimed leave a hole between two tokens.
  if (last?.token === token) return [...published.slice(0, -1), { ...last, to: number }];
  return [...published, { token, from: number, to: number }];
}
