import { type FailureKind, knownErrors, treatments } from '../../../lib/errors/known-errors.js';

/** What each kind comes to, in the words of the page. */
const inWords: Readonly<Record<FailureKind, string>> = {
  throttled: 'Waits and tries again: part of waiting, and of a holder’s retries. Nothing was applied.',
  busy: 'Waits and tries again. Nothing was applied.',
  unavailable:
    'Waits and tries again. A write may have been applied: what may have been granted is given back.',
  credentials:
    'Fails at once. Where requests have been answered before it is part of waiting: credentials are renewed while a program runs.',
  permission: 'Fails at once.',
  missing: 'Fails at once, with the Region where it looked.',
  certificate: 'Fails at once.',
  'not-sent': 'Fails at once: nothing was sent.',
  unknown:
    'Fails at once: an error that is not in this table, and that came without an answer and before a try.',
  'too-large': 'Fails at once. `once` marks the work as done, without its result.',
  refused: 'Fails at once.',
};

/** The table of docs/reference/errors.md, line by line. */
export function errorsTable(): readonly string[] {
  const rows = knownErrors.flatMap(([kind, source, names]) =>
    names.split(' ').map((name) => ({ kind, source, name })),
  );
  return (Object.keys(treatments) as FailureKind[]).flatMap((kind) => {
    const { words, advice } = treatments[kind];
    const own = rows.filter((row) => row.kind === kind);
    const title = kind.replaceAll('-', ' ');
    return [
      `### ${title[0]!.toUpperCase()}${title.slice(1)}`,
      '',
      `“… ${words}”. ${inWords[kind]}${advice === undefined ? '' : ` It says: ${advice}.`}`,
      '',
      ...(own.length === 0 ? [] : ['| error | raised by |', '| --- | --- |']),
      ...own.map(({ name, source }) => `| \`${name}\` | ${source} |`),
      ...(own.length === 0 ? [] : ['']),
    ];
  });
}
