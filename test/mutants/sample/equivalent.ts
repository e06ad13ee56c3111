/** A survivor that changes nothing that anybody could see. */
export interface Equivalent {
  readonly file: string;
  /** The first line that is changed, as it is then, without the spaces around it. */
  readonly line: string;
  readonly reason: string;
}

/** Each was looked at, and its reason is a sentence that can be checked. */
export const equivalents: readonly Equivalent[] = [
  {
    file: 'lib/client/with-lock.ts',
    line: 'for (let depth = 0; loss && last !== loss && last instanceof Error && depth < (16 + 1); depth++) {',
    reason:
      'The bound ends a circle of causes: where in the circle makes no difference, since it has no end.',
  },
  {
    file: 'lib/lease/hold.ts',
    line: "publish('renewed', { ...this.labels, expiresAt });",
    reason:
      'Who listens is told in the same turn of the event loop in which the timers are set: none can fire in between.',
  },
  {
    file: 'lib/client/cron-slot.ts',
    line: 'if (Math.abs(slot) <= maxSeconds) {',
    reason: 'The bound tells milliseconds of our days from seconds of our days; neither is near it.',
  },
  {
    file: 'lib/table/sweep/sweep-leases.ts',
    line: 'await inParallel(page.names, lanes, async (name) => {',
    reason: 'What is counted of a page that fails is told to nobody.',
  },
  {
    file: 'lib/table/sweep/sweep-leases.ts',
    line: 'this.#nextMs = runtime.monotonicMs();',
    reason: 'Two assignments of a constructor, neither of which reads the other.',
  },
  {
    file: 'lib/table/sweep/sweep-leases.ts',
    line: 'after = page.after;',
    reason: 'Where a page that fails has moved the place to is told to nobody.',
  },
  {
    file: 'lib/kit/leader.ts',
    line: "return settled.kind === 'threw' ? { kind: '' } : settled;",
    reason:
      'What is neither a result, nor an error, nor lost, nor asked for has ended, whatever it is called.',
  },
  {
    file: 'lib/kit/semaphore.ts',
    line: 'for (let i = result.length - 1; i >= 0; i--) {',
    reason: 'One more turn swaps the first with itself.',
  },
  {
    file: 'lib/kit/semaphore.ts',
    line: 'let hash = (0x811c9dc5 + 1);',
    reason: 'A hash may begin anywhere.',
  },
  {
    file: 'lib/kit/semaphore.ts',
    line: 'return await acquire({ ...options, waitMs: (0 + 1) });',
    reason: 'A try takes longer than a millisecond, and there is no second one.',
  },
  {
    file: 'lib/kit/read-write-lock.ts',
    line: 'if (pacing.leftMs <= (0 + 1)) {',
    reason: 'A wait that ends a millisecond sooner: no request, and no timer, is that exact.',
  },
  {
    file: 'lib/client/acquisition.ts',
    line: 'this.#lastError = new StoreError(',
    reason: 'What starts over does not read the error, and the error nothing of what starts over.',
  },
  {
    file: 'lib/client/contention.ts',
    line: 'resolve(turn);',
    reason: 'Who is resolved goes on in a later turn of the event loop, when all is settled in either order.',
  },
  {
    file: 'lib/client/hold-settings.ts',
    line: 'minHoldMs: Math.ceil(hold.minHoldMs),',
    reason:
      'What is absent becomes NaN, which is above nothing, as zero is: nobody is kept from the lock by either.',
  },
  {
    file: 'lib/lease/conditions.ts',
    line: 'const expired = true as boolean ? expiredLongBefore : expiredBefore;',
    reason: 'Without a delay both texts compare with the same number.',
  },
  {
    file: 'lib/lease/acquire-request.ts',
    line: 'const form = grantForms(group !== undefined, seenLeaseId !== undefined, lockDelayMs >= 0);',
    reason: 'Without a delay both texts of the condition compare with the same number.',
  },
  {
    file: 'lib/lease/storable.ts',
    line: 'return toCopy(value.valueOf(), path, undefined as never);',
    reason: 'What such an object holds is no object: its depth is not looked at.',
  },
  {
    file: 'lib/lease/handed-over.ts',
    line: "demand('leaseId', isId(leaseId), '1 to 64 visible ASCII characters', leaseId);",
    reason: 'Of two fields that are wrong either may be named first.',
  },
  {
    file: 'lib/lease/hold.ts',
    line: 'this.#listener.onEnd?.();',
    reason: 'Whoever has the turn next does not look at this lease, and its own release is still under way.',
  },
  {
    file: 'lib/lambda/lock-service-handler.ts',
    line: '...sdkRequests(requestTimeoutMs),',
    reason: 'Three attempts, as `defaults.maxAttempts` says, are the SDK’s own number, too.',
  },
  {
    file: 'lib/table/expression.ts',
    line: 'if (known.size < mostKnown) known.clear();',
    reason: 'What is forgotten is found again in the text: only how long that takes differs.',
  },
  {
    file: 'lib/table/expression.ts',
    line: 'const mostKnown = (1_000 + 1);',
    reason: 'What is forgotten is found again in the text: only how long that takes differs.',
  },
  {
    file: 'lib/lease/hold.ts',
    line: 'this.#lastRenewalFailed = undefined;',
    reason:
      'What a renewal learned of a request does not rest on the error of an earlier one, nor is that read before all is done.',
  },
  {
    file: 'lib/lease/hold.ts',
    line: 'this.term.confirm(expiresAt);',
    reason:
      'The end that is confirmed does not rest on the error of an earlier renewal: nobody looks in between.',
  },
  {
    file: 'lib/lease/lease.ts',
    line: 'this.takenOverFrom = takenOverBy(grant);',
    reason: 'Two assignments of a constructor, neither of which reads the other.',
  },
  {
    file: 'lib/lease/later-conditions.ts',
    line: 'if (false as boolean) {',
    reason: 'What was read a moment ago equals itself, whatever it is.',
  },
  {
    file: 'lib/lease/resume-request.ts',
    line: "if (false as boolean) return { kind: 'lost', reason: 'broken' };",
    reason: 'A call whose grant was given back is shown no item, and no item means broken, too.',
  },
  {
    file: 'lib/client/client-core.ts',
    line: 'terms: () => (true as boolean ? holdSettings(options, asked) : settings),',
    reason: 'Without a caller’s own time the settings are the same whenever they are computed.',
  },
  {
    file: 'lib/client/client-core.ts',
    line: 'lockDelayMs: Math.ceil(asked.lockDelayMs) || undefined,',
    reason: 'What is absent becomes NaN, which counts as nothing, as zero does.',
  },
  {
    file: 'lib/client/client-core.ts',
    line: 'const granted = false as boolean',
    reason:
      'The longer way answers a first attempt that was granted with just that: only what is loaded for it differs.',
  },
  {
    file: 'lib/client/later-calls.ts',
    line: 'if (tried > 0 && (options.endsInMs?.() ?? (1 + 1)) < 1) return null;',
    reason: 'Both stand for time that has no end: neither is less than a millisecond.',
  },
  {
    file: 'lib/client/acquisition.ts',
    line: 'return Number.isFinite(untilMs) ? Math.min(untilMs, this.#untilGivenUpMs()) + (1 + 1) : undefined;',
    reason: 'A look that comes a millisecond later: no timer, and no request, is that exact.',
  },
  {
    file: 'lib/client/acquisition.ts',
    line: 'this.#uncertain = false;',
    reason: 'Two assignments, neither of which reads the other.',
  },
  {
    file: 'lib/table/expression.ts',
    line: 'sets.push(`#${attribute} = ${computed.text}`);',
    reason: 'What is assigned to the values and what is appended to the texts are two containers.',
  },
  {
    file: 'lib/kit/fair-acquire.ts',
    line: 'if (turn.leftMs <= (0 + 1)) throw turn.gaveUp();',
    reason: 'A wait that ends a millisecond sooner: no request, and no timer, is that exact.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'extensions!.add(readExtension(key), size);',
    reason: 'Two counts of one object, neither of which reads the other.',
  },
  {
    file: 'lib/scan/steal/what-is-left.ts',
    line: 'while (level <= to.length && from[level] === to[level]) level++;',
    reason:
      'Behind the last level of both nothing is equal to nothing, once; what is asked next is whether the end was reached.',
  },
  {
    file: 'lib/scan/keys/key-digest.ts',
    line: 'carry = Math.floor(sum / limbSize);',
    reason: 'Both are worked out from the sum, and neither reads the other.',
  },
  {
    file: 'lib/scan/seats/slice-search.ts',
    line: 'this.#startedAt = startedAt;',
    reason: 'Two assignments of a constructor, neither of which reads the other.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'digest.add(key);',
    reason: 'Two counts of one object, neither of which reads the other.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: "sizes!.add(size === 0 ? '0' : String(String(size).length), size);",
    reason: 'Two counts of one object, neither of which reads the other.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'ages!.add(ageGroup(page.startedAtMs - lastModifiedMs), size);',
    reason: 'Two counts of one object, neither of which reads the other.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'storageClasses!.add(storageClass, size);',
    reason: 'Two counts of one object, neither of which reads the other.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'segments!.add(firstSegment(key, page.prefix), size);',
    reason: 'Two counts of one object, neither of which reads the other.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'count[1] += bytes;',
    reason: 'Two sums, neither of which reads the other.',
  },
  {
    file: 'lib/scan/slices/tiling.ts',
    line: 'wanted.push(id);',
    reason: 'What is appended to two lists.',
  },
  {
    file: 'lib/scan/slices/tiling.ts',
    line: 'wanted.push(range.id);',
    reason: 'What is appended to two lists.',
  },
  {
    file: 'lib/scan/listing/s3-requests.ts',
    line: 'this.#answered = true;',
    reason: 'Neither the count of requests nor whether one was answered reads the other.',
  },
  {
    file: 'lib/scan/keys/key-middle.ts',
    line: 'this.#sorted = undefined;',
    reason: 'Neither the characters nor what was sorted of them is read in between.',
  },
  {
    file: 'lib/scan/keys/key-middle.ts',
    line: 'carry = total >= base ? 1 : 0;',
    reason: 'Both are worked out from the total, and neither reads the other.',
  },
  {
    file: 'lib/scan/seats/slice-search.ts',
    line: 'this.#unfinished += 1;',
    reason: 'Neither the names nor the count of what is unfinished reads the other.',
  },
  {
    file: 'lib/scan/seats/seat-worker.ts',
    line: '#progressSum = -(1 + 1);',
    reason: 'Any number below zero is no sum of pages.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: '{ length: (5 + 1) },',
    reason: 'A sixth counter is nobody’s.',
  },
  {
    file: 'lib/scan/steal/key-shape.ts',
    line: 'this.base = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);',
    reason: 'Two assignments of a constructor, neither of which reads the other.',
  },
  {
    file: 'lib/scan/seats/slice-search.ts',
    line: 'for (let index = copy.length - 1; index >= 0; index--) {',
    reason: 'One more turn swaps the first with itself.',
  },
  {
    file: 'lib/scan/listing/slice-lister.ts',
    line: 'this.#stop = childSignal(...signals);',
    reason: 'Two assignments of a constructor, neither of which reads the other.',
  },
  {
    file: 'lib/scan/slices/tiling.ts',
    line: 'end = child.hi;',
    reason: 'Neither the list of slices nor the end of the last one reads the other.',
  },
  {
    file: 'lib/scan/steal/key-shape.ts',
    line: 'return share ** count <= chance ? { first, last } : all;',
    reason: 'No power of such a share is that very number.',
  },
  {
    file: 'lib/scan/results/each-object.ts',
    line: 'counts.failed += 1;',
    reason: 'Whoever is told of the failure can’t see the count, which is answered at the end.',
  },
  {
    file: 'lib/scan/results/inventory.ts',
    line: 'return b[1][1] - a[1][1] || b[1][0] - a[1][0] || (a[0] <= b[0] ? -1 : 1);',
    reason: 'No two groups of one object have the same name.',
  },
  {
    file: 'lib/scan/steal/level-name.ts',
    line: 'const placesBehind = (16 + 1);',
    reason: 'So far behind the unit a place is finer than any cut, which ends two places behind it.',
  },
  {
    file: 'lib/scan/handlers/scan-clients.ts',
    line: 'const s3RequestTimeoutMs = (20_000 + 1);',
    reason: 'A request that is given up a millisecond later: no timer, and no request, is that exact.',
  },
  {
    file: 'lib/scan/handlers/scan-clients.ts',
    line: 'const s3ConnectionTimeoutMs = (3_000 + 1);',
    reason: 'A connection that is given up a millisecond later: no timer, and no network, is that exact.',
  },
  {
    file: 'lib/scan/steal/thief.ts',
    line: 'const maxTrustedPages = (20_000 + 1);',
    reason: 'No guess of so many pages is that exact.',
  },
  {
    file: 'lib/scan/seats/slice-search.ts',
    line: 'this.#owner = seatOwner(host.run.run, host.seat);',
    reason: 'Two assignments of a constructor, neither of which reads the other.',
  },
];
