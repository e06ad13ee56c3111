import { mutantsOf, together } from './mutant.js';

/** The scan page: claims, splits, tiling, and what survives a takeover. */
export const scanMutants = [
  ...mutantsOf('scan', 'lib/scan/slices/scan-conditions.ts', [
    [
      'claim: the test on hi',
      'return all(hiIs(hi), claimedStaysBelow(claimed));',
      'return all(claimedStaysBelow(claimed));',
    ],
    ['take: only what is a slice', 'return all(isSlice, mayBeTried,', 'return all(mayBeTried,'],
    [
      'split: above what is claimed',
      "{ text: '#claimed < :scanCut', values: { ':scanCut': cut } },",
      "{ text: '#claimed < :scanCut OR attribute_exists(#claimed)', values: { ':scanCut': cut } },",
    ],
    [
      'split: by the end that was seen',
      'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
      'return all(isSlice, notCompleted, claimedLiesBelow(cut), noChildPending);',
    ],
    [
      'split: not what is completed',
      'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
      'return all(isSlice, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    ],
    [
      'split: not while a child is pending',
      'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
      'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut));',
    ],
    [
      'split: only what is a slice',
      'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
      'return all(notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    ],
    [
      'split: only this very child is cleared',
      "text: '#child.#id = :scanChildId',",
      "text: '#child.#id = :scanChildId OR attribute_exists(#name)',",
    ],
    [
      'quarantine: after some grants without progress only',
      'export const maxAttempts = 4;',
      'export const maxAttempts = 1;',
    ],
  ]),
  ...mutantsOf('scan', 'lib/scan/seats/slice-progress.ts', [
    [
      'claim: written ahead of the work',
      'const set = { ...(await this.done()), claimed, progress };',
      'const set = { ...(await this.done()), progress };',
    ],
    ['takeover: begins at the cursor', 'return this.#cursor ?? this.#before.lo;', 'return this.#before.lo;'],
    [
      'takeover: not behind what was only claimed',
      'this.#cursor = before.cursor;',
      'this.#cursor = before.claimed ?? before.cursor;',
    ],
    ['slice: begins behind lo', 'return this.#cursor ?? this.#before.lo;', 'return this.#cursor;'],
    ['slice: a lowered hi is obeyed', 'this.#hi = item.hi;', ''],
    [
      'checkpoint: the result goes with the cursor',
      'return { cursor: this.#cursor, partial, tally,',
      'return { cursor: this.#cursor, tally,',
    ],
    ['slice: what lies above hi is dropped', 'return withinSlice(objects, this.#hi);', 'return objects;'],
    ['quarantine: progress takes the count back', '...(this.hasMoved && { attempts: 0 })', ''],
  ]),
  ...mutantsOf('scan', 'lib/scan/seats/slice-work.ts', [
    [
      'takeover: the result so far is taken over',
      'partial === undefined ? processor.empty()',
      'partial === undefined || partial !== undefined ? processor.empty()',
    ],
  ]),
  ...mutantsOf('scan', 'lib/lease/holder-requests.ts', [
    [
      'renew: refused with its own lease, and shorter, is no success',
      "return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };",
      "return { kind: 'done' };",
    ],
  ]),
  ...mutantsOf('scan', 'lib/scan/slices/slice-creation.ts', [
    [
      'split: the child is made before the note of it is cleared',
      '  await createSlice(context, run, child, parent.version + 1, signal);\n',
      '',
    ],
  ]),
  ...mutantsOf('scan', 'lib/scan/seats/slice-search.ts', [
    [
      'search: children are found while the index lags',
      'const wanted = childrenWanted(this.#planned, this.#seen.values());',
      'const wanted: string[] = [];',
    ],
  ]),
  ...mutantsOf('scan', 'lib/scan/keys/key-order.ts', [
    [
      'keys: in UTF-8 order, not in UTF-16',
      'if (pointA !== pointB) return pointA < pointB ? -1 : 1;',
      'if (pointA !== pointB) return a < b ? -1 : 1;',
    ],
  ]),
  ...mutantsOf('scan', 'lib/scan/listing/s3-listing.ts', [
    [
      'listing: keys are decoded',
      "return decodeURIComponent(encoded.replaceAll('+', ' '));",
      'return encoded;',
    ],
  ]),
  ...mutantsOf('scan', 'lib/scan/results/verify-scan.ts', [
    ['verify: the slices must tile', '    ...state.gaps.map(', '    ...[].map('],
    ['verify: all slices must be done', 'if (report.unfinished > 0) {', 'if (report.unfinished < 0) {'],
  ]),
  ...mutantsOf('scan', 'lib/scan/plan/planner.ts', [
    [
      'plan: the run item is the commit point',
      'if (await context.table.create(item, signal)) return scan;',
      'if ((await context.table.create(item, signal)) || scan) return scan;',
    ],
  ]),
  ...mutantsOf('scan', 'lib/table/dynamo-table.ts', [
    [
      'table: creates only where there is nothing',
      "ConditionExpression: 'attribute_not_exists(#name)',\n      ExpressionAttributeNames: { '#name': 'name' },",
      '',
    ],
    [
      'table: what a batch leaves over is asked for again',
      'wanted = [...left, ...wanted.slice(batchSize)];',
      'wanted = [...wanted.slice(batchSize)];',
    ],
  ]),
  ...mutantsOf('scan', 'lib/fence/fence-condition.ts', [
    [
      'fence: a ledger refuses an older token',
      'const notOvertaken = `${fence} <= ${token}`;',
      'const notOvertaken = `${fence} <= ${token} OR ${fence} > ${token}`;',
    ],
  ]),
  // The code and the condition cover the same: each alone is not missed.
  together('claim: claimed is kept on takeover, and never falls', [
    ...mutantsOf('scan', 'lib/scan/seats/slice-progress.ts', [
      ['code', 'this.#claimed = before.claimed;', 'this.#claimed = undefined;'],
    ]),
    ...mutantsOf('scan', 'lib/scan/slices/scan-conditions.ts', [
      [
        'condition',
        'return all(hiIs(hi), claimedStaysBelow(claimed));',
        'return all(hiIs(hi), { text: claimedStaysBelow(claimed).text + " OR attribute_exists(#name)", values: claimedStaysBelow(claimed).values ?? {} });',
      ],
    ]),
  ]),
  // Seats, holders and the proof all do it.
  together('split: whoever sees a pending child makes it', [
    ...mutantsOf('scan', 'lib/scan/seats/slice-search.ts', [
      ['search', 'await materialiseChild(context, run.run, slice, signal);', ''],
    ]),
    ...mutantsOf('scan', 'lib/scan/seats/slice-work.ts', [
      ['holder', 'if (hasPendingChild(this.#before)) await', 'if (false) await'],
    ]),
    ...mutantsOf('scan', 'lib/scan/results/verify-scan.ts', [
      ['proof', 'state.slices.filter(hasPendingChild).map(', '[].map('],
    ]),
  ]),
  // A split changes `hi` and leaves a child: either shows it.
  ...mutantsOf('scan', 'lib/scan/slices/scan-conditions.ts', [
    [
      'complete: not over a split that is pending',
      'return all(hiIs(hi), noChildPending);',
      "return hi === undefined ? { text: 'attribute_exists(#name)' } : { text: 'attribute_exists(#name)' };",
    ],
  ]),
  // The condition is for the race between the look and the write.
  together('seat: an older instance does not evict a younger one', [
    ...mutantsOf('scan', 'lib/scan/slices/scan-conditions.ts', [
      ['condition', 'ownUntilMs === undefined ? undefined : heldSinceBefore(ownUntilMs)', 'undefined'],
    ]),
    ...mutantsOf('scan', 'lib/scan/seats/slice-search.ts', [
      ['look', 'slice.acquiredAt! <= this.ownEarlierUntilMs', 'slice.acquiredAt! > 0'],
    ]),
  ]),
];
