import { expect, it } from 'vitest';
import { type ScanEvents, scanChannels } from '../../../lib/scan/index.js';

/** Each kind of event, by the compiler's word. */
const kinds: Readonly<Record<keyof ScanEvents, true>> = {
  'scan-planned': true,
  'scan-slice-acquired': true,
  'scan-page-claimed': true,
  'scan-page-done': true,
  'scan-slice-completed': true,
  'scan-slice-lost': true,
  'scan-slice-released': true,
  'scan-slice-quarantined': true,
  'scan-slice-split': true,
  'scan-split-refused': true,
  'scan-seat-waits': true,
  'scan-seat-ended': true,
  'scan-foreign-item': true,
};

it('the channels of a scan are those of all its events', () => {
  expect([...scanChannels].sort()).toEqual(
    Object.keys(kinds)
      .map((kind) => `leasehold:${kind}`)
      .sort(),
  );
});
