import { mutantsOf, together } from './mutant.js';

const theVeryLease = mutantsOf('hand-over', 'lib/lease/resume-request.ts', [
  [
    'resume: what others have had meanwhile is not gone on with',
    'const change = { set, condition: isExactly(seen.leaseId, seen.token) };',
    'const change = { set };',
  ],
]);

/** A lease goes from one process to the next, and never to two. */
export const handOverMutants = [
  ...theVeryLease,
  ...mutantsOf('hand-over', 'lib/lease/resume-request.ts', [
    [
      'resume: a lease of somebody else is not taken for an earlier attempt',
      'return resumes === handedOver && resumingLease === leaseId ? { leaseId, token: version } : undefined;',
      'return { leaseId, token: version };',
    ],
    [
      'resume: the mark says of which grant it is true',
      'return resumes === handedOver && resumingLease === leaseId ?',
      'return resumes === handedOver ?',
    ],
  ]),
  ...mutantsOf('hand-over', 'lib/client/resume.ts', [
    [
      'resume: under a lease id of its own',
      'const leaseId = context.runtime.randomId();',
      'const { leaseId } = from;',
    ],
  ]),
  ...mutantsOf('hand-over', 'lib/lease/lease.ts', [
    ['hand-over: its holder does not count on it any more', "this.#state = 'handed-over';\n", ''],
  ]),
  together('resume: exactly the lease that was seen', [
    ...theVeryLease,
    ...mutantsOf('hand-over', 'lib/lease/conditions.ts', [
      [
        'and no other',
        'seenLeaseId === undefined ? undefined : all(stillTheOneSeen(seenLeaseId), hasEnd),',
        'seenLeaseId === undefined ? undefined : hasEnd,',
      ],
    ]),
  ]),
];
