import { LockLostError } from '../../lib/errors/index.js';
import type { LibraryEvents } from '../../lib/lambda/observability/library-events.js';

const lease = { name: 'n', owner: 'o', token: 2, leaseId: 'id' };
const ended = { ...lease, heldMs: 5 };
const other = { owner: 'p', token: 1 };
const slice = { run: 'r', seat: 0, slice: 's', name: 'n', token: 2, lease: undefined as never };
const page = { pages: 1, objects: 1, bytes: 1 };
const range = { cursor: 'c', lo: 'a', hi: 'z', attempts: 1 };
const split = { run: 'r', seat: 0, slice: 's', name: 'n', owner: 'o', cut: 'k' };
const error = new Error('trouble');

/** One of each event, with all that makes a metric in it. Complete: the compiler asks for every event there is. */
export const sampleEvents: { readonly [Name in keyof LibraryEvents]: LibraryEvents[Name] } = {
  granted: { ...lease, waitedMs: 3, takenOverFrom: other, adopted: false },
  held: { name: 'n', owner: 'o', holder: undefined },
  'release-requested': { ...lease, reason: 'deployment' },
  'release-asked': { name: 'n', leaseId: 'id', token: 2, reason: 'deployment' },
  'permit-granted': { ...lease, permit: 'n#1', waitedMs: 3 },
  'line-joined': { name: 'n', owner: 'o', length: 4 },
  elected: lease,
  'lead-ended': { ...lease, why: 'asked' },
  renewed: { ...lease, expiresAt: 1 },
  'renewal-failed': { ...lease, error },
  lost: { ...ended, reason: 'expired', error: new LockLostError('n', 'expired', 2) },
  released: ended,
  completed: ended,
  'handed-over': { ...ended, expiresAt: 1 },
  'release-failed': { ...lease, error },
  'stale-write-refused': { name: 'n', token: 1, currentToken: 2, operation: 'dynamodb' },
  throttled: { table: 't', name: 'n', error },
  'scan-planned': { run: 'r', slices: 4, listRequests: 1, existed: false },
  'scan-slice-acquired': { ...slice, ...range, takenOver: true, takenOverFrom: other },
  'scan-page-claimed': { ...slice, pages: 1, objects: 1, firstKey: 'a', lastKey: 'b' },
  'scan-page-done': { ...slice, ...page, totalObjects: 1 },
  'scan-slice-completed': { ...slice, ...page },
  'scan-slice-lost': { ...slice, reason: 'expired', error },
  'scan-slice-released': { ...slice, why: 'out-of-time', error },
  'scan-slice-quarantined': { ...slice, attempts: 1, lo: 'a', hi: 'z', error: 'trouble' },
  'scan-slice-split': { ...split, child: 'c1', hi: 'z', pagesLeft: 9 },
  'scan-split-refused': split,
  'scan-seat-waits': { run: 'r', seat: 0, waitMs: 100, held: 3 },
  'scan-seat-ended': {
    run: 'r',
    seat: 0,
    status: 'done',
    slices: 2,
    ...page,
    splits: 1,
    busyMs: 9,
    tookMs: 10,
  },
  'scan-foreign-item': { run: 'r', name: 'mine', why: 'its name is none of a slice' },
};
