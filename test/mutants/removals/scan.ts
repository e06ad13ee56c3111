import type { Removal } from '../removal.js';

const sliceSearch = 'lib/scan/seats/slice-search.ts';
const splitsTests = 'test/engine/scan/splits.test.ts';
const seatsTests = 'test/engine/scan/seats.test.ts';
const scanConditions = 'lib/scan/slices/scan-conditions.ts';
const sliceProgress = 'lib/scan/seats/slice-progress.ts';
const sliceWork = 'lib/scan/seats/slice-work.ts';
const verifyScan = 'lib/scan/results/verify-scan.ts';

/** The scan page: claims, splits, tiling, seats, and what survives a takeover. */
export const scanRemovals: readonly Removal[] = [
  {
    name: 'scan: no round of work is lost to an index that lags',
    file: sliceSearch,
    find: 'const wanted = childrenWanted(this.#planned, this.#seen.values());',
    replace: 'const wanted: string[] = [];',
    noticedBy: [
      {
        file: splitsTests,
        title: 'children and theirs are found by a seat although the index lags for ever',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'scan: a seat’s older instance evicts no younger one, though it has not had a slice yet',
    file: sliceSearch,
    find: 'Math.ceil(latest) + wholeSecondMs',
    replace: 'Math.ceil(latest) + 1e9 * wholeSecondMs',
    noticedBy: [
      {
        file: seatsTests,
        title: 'one that was frozen at its start does not take the slice of an instance from a minute later',
      },
    ],
  },
  {
    name: 'scan: a seat’s older instance that has looked already evicts no younger one by its write',
    file: scanConditions,
    find: 'ownUntilMs === undefined ? undefined : heldSinceBefore(ownUntilMs)',
    replace: 'undefined',
    noticedBy: [
      {
        file: seatsTests,
        title: 'one that was frozen at its start does not take the slice of an instance from a minute later',
      },
    ],
  },
  {
    name: 'scan: a split makes no new item where TTL took the old one',
    file: scanConditions,
    find: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    replace: 'return all(notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    noticedBy: [
      {
        file: splitsTests,
        title: 'a slice that TTL removed since it was read is not split: no new item comes up',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'scan: no key is handed out under two slices',
    file: scanConditions,
    find: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    replace: 'return all(isSlice, notCompleted, hiIs(hi), noChildPending);',
    noticedBy: [
      {
        file: splitsTests,
        title: 'what is claimed, moved, split or completed since it was read is not split',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'scan: the ranges always tile',
    file: scanConditions,
    find: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    replace: 'return all(isSlice, notCompleted, claimedLiesBelow(cut), noChildPending);',
    noticedBy: [
      {
        file: splitsTests,
        title: 'what is claimed, moved, split or completed since it was read is not split',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'scan: a child that is not made yet is not forgotten',
    file: scanConditions,
    find: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    replace: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut));',
    noticedBy: [
      {
        file: splitsTests,
        title: 'what is claimed, moved, split or completed since it was read is not split',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'scan: what is completed stays whole',
    file: scanConditions,
    find: 'return all(isSlice, notCompleted, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    replace: 'return all(isSlice, hiIs(hi), claimedLiesBelow(cut), noChildPending);',
    noticedBy: [
      {
        file: splitsTests,
        title: 'what is claimed, moved, split or completed since it was read is not split',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'claim: the test on hi',
    file: scanConditions,
    find: 'return all(hiIs(hi), claimedStaysBelow(claimed));',
    replace: 'return all(claimedStaysBelow(claimed));',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'take: only what is a slice',
    file: scanConditions,
    find: 'return all(isSlice, mayBeTried,',
    replace: 'return all(mayBeTried,',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'split: only this very child is cleared',
    file: scanConditions,
    find: "text: '#child.#id = :scanChildId',",
    replace: "text: '#child.#id = :scanChildId OR attribute_exists(#name)',",
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'quarantine: after some grants without progress only',
    file: scanConditions,
    find: 'export const maxAttempts = 4;',
    replace: 'export const maxAttempts = 1;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'claim: written ahead of the work',
    file: sliceProgress,
    find: 'const set = { ...(await this.done()), claimed, progress };',
    replace: 'const set = { ...(await this.done()), progress };',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'takeover: begins at the cursor',
    file: sliceProgress,
    find: 'return this.#cursor ?? this.#before.lo;',
    replace: 'return this.#before.lo;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'takeover: not behind what was only claimed',
    file: sliceProgress,
    find: 'this.#cursor = before.cursor;',
    replace: 'this.#cursor = before.claimed ?? before.cursor;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'slice: begins behind lo',
    file: sliceProgress,
    find: 'return this.#cursor ?? this.#before.lo;',
    replace: 'return this.#cursor;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'slice: a lowered hi is obeyed',
    file: sliceProgress,
    find: 'this.#hi = item.hi;',
    replace: '',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'checkpoint: the result goes with the cursor',
    file: sliceProgress,
    find: 'return { cursor: this.#cursor, partial, tally,',
    replace: 'return { cursor: this.#cursor, tally,',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'slice: what lies above hi is dropped',
    file: sliceProgress,
    find: 'return withinSlice(objects, this.#hi);',
    replace: 'return objects;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'quarantine: progress takes the count back',
    file: sliceProgress,
    find: '...(this.hasMoved && { attempts: 0 })',
    replace: '',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'takeover: the result so far is taken over',
    file: sliceWork,
    find: 'partial === undefined ? processor.empty()',
    replace: 'partial === undefined || partial !== undefined ? processor.empty()',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'renew: refused with its own lease, and shorter, is no success',
    file: 'lib/lease/refused-writes.ts',
    find: "return item.expiresAt! >= expiresAt ? { kind: 'done' } : { kind: 'refused', item };",
    replace: "return { kind: 'done' };",
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'split: the child is made before the note of it is cleared',
    file: 'lib/scan/slices/slice-creation.ts',
    find: '  await createSlice(context, run, child, parent.version + 1, signal);\n',
    replace: '',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'split: whoever fails before the child is made leaves the note of it',
    file: 'lib/scan/slices/slice-creation.ts',
    find: '  await createSlice(context, run, child, parent.version + 1, signal);\n',
    replace:
      "  await context.table.update(parent.name, { remove: ['child'], condition: childIs(child.id) }, signal);\n  await createSlice(context, run, child, parent.version + 1, signal);\n",
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'split: no child comes up before its split is written',
    file: 'lib/scan/slices/slice-creation.ts',
    find: '  const set = { hi: cut, child, splitProgress: slice.progress };\n',
    replace:
      "  await createSlice(context, slice.name.split('/')[1]!, child, slice.version + 1, signal);\n  const set = { hi: cut, child, splitProgress: slice.progress };\n",
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'split: no two cuts share an id',
    file: 'lib/scan/slices/slice.ts',
    find: "createHash('sha256').update(cut)",
    replace: "createHash('sha256').update(cut.slice(0, 1))",
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'split: a hint of where keys end is no bound',
    file: 'lib/scan/slices/slice-creation.ts',
    find: '...(hi !== undefined && { hi }),',
    replace: '...((hi ?? emptyAfter) !== undefined && { hi: hi ?? emptyAfter }),',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'verify: a child of another cut does not fill the gap',
    file: 'lib/scan/slices/tiling.ts',
    find: 'if (child?.lo !== cut ||',
    replace: 'if (child === undefined ||',
    noticedBy: [
      {
        file: 'test/unit/scan/tiling.test.ts',
        title: 'does not take a child for one that begins elsewhere, or ends where it begins: it must end',
      },
    ],
  },
  {
    name: 'listing: an empty page is not the end',
    file: 'lib/scan/listing/s3-listing.ts',
    find: 'if (objects.length > 0 || !truncated) return { objects, truncated };',
    replace: 'return { objects, truncated: truncated && objects.length > 0 };',
    noticedBy: [
      {
        file: 'test/engine/scan/listing.test.ts',
        title:
          'D17 is followed to its keys: one that stopped there would report a part of the bucket as complete',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'listing: a key that comes twice is not handed out twice',
    file: 'lib/scan/listing/s3-listing.ts',
    find: 'compareKeys(key, before) <= 0',
    replace: 'compareKeys(key, before) < 0',
    noticedBy: [
      {
        file: 'test/unit/scan/page-rules.test.ts',
        title:
          'is refused where a key comes twice, which would be handed out twice, or a lower one after a higher',
      },
    ],
  },
  {
    name: 'slice: a claim that a refusal shows is remembered',
    file: sliceProgress,
    find: 'this.#claimed = laterKey(this.#claimed, item.claimed);',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/scan/page-rules.test.ts',
        title: 'remembers a claim that a refusal shows: the next one does not fall behind it',
      },
    ],
  },
  {
    name: 'slice: a page’s result is not taken after its lease was lost',
    file: sliceWork,
    find: '      lease.throwIfLost();\n      progress.add(objects, result);',
    replace: '      progress.add(objects, result);',
    noticedBy: [
      {
        file: 'test/unit/scan/page-results.test.ts',
        title: 'is not taken after the lease was lost, though the processor ended well',
      },
    ],
  },
  {
    name: 'checkpoint: a large result counts as saved when it is',
    file: 'lib/scan/results/partial-store.ts',
    find: '    const stored = bytes <= this.#inlineBytes ? text : await this.#storeLarge(text, bytes, progress, signal);\n    this.#last = { text, stored };',
    replace:
      '    const inline = bytes <= this.#inlineBytes;\n    this.#last = { text, stored: text };\n    const stored = inline ? text : await this.#storeLarge(text, bytes, progress, signal);\n    this.#last = { text, stored };',
    noticedBy: [
      {
        file: 'test/unit/scan/page-rules.test.ts',
        title: 'that could not be written is written again, not taken for saved',
      },
    ],
  },
  {
    name: 'each object: a stale token ends the page, and is no object’s failure',
    file: 'lib/scan/results/each-object.ts',
    find: "(error.name === 'StaleTokenError' || error.name === 'LockLostError')",
    replace: "error.name === 'LockLostError'",
    noticedBy: [
      {
        file: 'test/unit/scan/page-rules.test.ts',
        title: 'StaleTokenError is no object’s failure: it ends the page at once',
      },
    ],
  },
  {
    name: 'steal: a cut lies above what is claimed, whatever the plan has seen',
    file: 'lib/scan/steal/what-is-left.ts',
    find: '    compareKeys(claimed, cut) < 0 &&\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/scan/known-folders.test.ts',
        title: 'are hints: a cut lies between what is claimed and the end, or there is none',
      },
    ],
  },
  {
    name: 'steal: a folder that the plan has seen is no reason to cut behind the end',
    file: 'lib/scan/steal/what-is-left.ts',
    find: '    (hi === undefined || compareKeys(cut, hi) < 0) &&\n',
    replace: '',
    noticedBy: [
      {
        file: 'test/unit/scan/known-folders.test.ts',
        title: 'are hints: a cut lies between what is claimed and the end, or there is none',
      },
    ],
  },
  {
    name: 'plan: half of a level of folders is not taken for all of it',
    file: 'lib/scan/plan/plan-cuts.ts',
    find: 'asked.length > requests.left - Math.max(0, wanted - folders.length)',
    replace: 'requests.left <= 0',
    noticedBy: [
      {
        file: 'test/unit/scan/plan-folders.test.ts',
        title: 'are opened by whole levels, or not: half of a level would make the rest look small',
      },
    ],
  },
  {
    name: 'keys: in UTF-8 order, not in UTF-16',
    file: 'lib/scan/keys/key-order.ts',
    find: 'if (pointA !== pointB) return pointA < pointB ? -1 : 1;',
    replace: 'if (pointA !== pointB) return a < b ? -1 : 1;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'listing: keys are decoded',
    file: 'lib/scan/listing/s3-listing.ts',
    find: "return decodeURIComponent(encoded.replaceAll('+', ' '));",
    replace: 'return encoded;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'verify: the slices must tile',
    file: verifyScan,
    find: '    ...state.gaps.map(',
    replace: '    ...[].map(',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'verify: all slices must be done',
    file: verifyScan,
    find: 'if (report.unfinished > 0) {',
    replace: 'if (report.unfinished < 0) {',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'plan: the run item is the commit point',
    file: 'lib/scan/plan/planner.ts',
    find: 'if (await context.table.create(item, signal)) return scan;',
    replace: 'if ((await context.table.create(item, signal)) || scan) return scan;',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'table: creates only where there is nothing',
    file: 'lib/table/later-dynamo.ts',
    find: "    ConditionExpression: 'attribute_not_exists(#name)',\n    ExpressionAttributeNames: { '#name': 'name' },\n",
    replace: '',
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'table: what a batch leaves over is asked for again',
    file: 'lib/table/later-dynamo.ts',
    find: 'wanted = [...left, ...wanted.slice(batchSize)];',
    replace: 'wanted = [...wanted.slice(batchSize)];',
    noticedBy: [{ suite: 'scan' }],
  },
  // The code and the condition cover the same: each alone is not missed.
  {
    name: 'claim: claimed is kept on takeover, and never falls',
    changes: [
      { file: sliceProgress, find: 'this.#claimed = before.claimed;', replace: 'this.#claimed = undefined;' },
      {
        file: scanConditions,
        find: 'return all(hiIs(hi), claimedStaysBelow(claimed));',
        replace:
          'return all(hiIs(hi), { text: claimedStaysBelow(claimed).text + " OR attribute_exists(#name)", values: claimedStaysBelow(claimed).values ?? {} });',
      },
    ],
    noticedBy: [{ suite: 'scan' }],
  },
  // Seats, holders and the proof all do it.
  {
    name: 'split: whoever sees a pending child makes it',
    changes: [
      { file: sliceSearch, find: 'await materialiseChild(context, run.run, slice, signal);', replace: '' },
      { file: sliceWork, find: 'if (hasPendingChild(this.#before)) await', replace: 'if (false) await' },
      { file: verifyScan, find: 'state.slices.filter(hasPendingChild).map(', replace: '[].map(' },
    ],
    noticedBy: [
      {
        file: splitsTests,
        title: 'a pending child is made real by whoever sees it: the next holder, a waiting seat, or verify',
      },
      { suite: 'scan' },
    ],
  },
  // A split changes `hi` and leaves a child: either shows it.
  {
    name: 'complete: not over a split that is pending',
    file: scanConditions,
    find: 'return all(hiIs(hi), noChildPending);',
    replace:
      "return hi === undefined ? { text: 'attribute_exists(#name)' } : { text: 'attribute_exists(#name)' };",
    noticedBy: [
      { file: 'test/unit/scan/slice-conditions.test.ts', title: 'as its condition says: %s' },
      { suite: 'scan' },
    ],
  },
  // The condition is for the race between the look and the write.
  {
    name: 'seat: an older instance does not evict a younger one',
    changes: [
      {
        file: scanConditions,
        find: 'ownUntilMs === undefined ? undefined : heldSinceBefore(ownUntilMs)',
        replace: 'undefined',
      },
      {
        file: sliceSearch,
        find: 'slice.acquiredAt! <= this.ownEarlierUntilMs',
        replace: 'slice.acquiredAt! > 0',
      },
    ],
    noticedBy: [{ suite: 'scan' }],
  },
  {
    name: 'seat: a later round lasts as long as others hold anything',
    file: 'lib/scan/seats/seat-worker.ts',
    find: 'return this.#host.run.rounds === 0 && ',
    replace: 'return ',
    noticedBy: [
      {
        file: seatsTests,
        title:
          'a seat of a later round stays as long as others hold anything: the round brings the run to its end',
      },
      { suite: 'scan' },
    ],
  },
  {
    name: 'steal: a slice whose names tell no cut is halved by its keys',
    file: 'lib/scan/steal/thief.ts',
    find: ' ?? this.#middle(slice);',
    replace: ';',
    noticedBy: [
      {
        file: 'test/process/scan/busy-seats.test.ts',
        title:
          'no slice stays whole because its names tell no cut: few seats are busy to the end, in virtual time',
      },
    ],
  },
];
