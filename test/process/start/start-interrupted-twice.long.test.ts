import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sameWishMs } from '../../../bin/terminal/interruption.js';
import { startProcess } from '../../support/start/start-process.js';
import { names, temporaryFiles } from '../../support/start/temporary-files.js';

it('npm start, interrupted twice, the second time in the middle of putting away, leaves nothing behind', async () => {
  await using files = await temporaryFiles(names(3_000, 5));
  const started = await startProcess(['--dir', files.directory, '--seats', '3', '--page-size', '50']);
  await started.said(/ stopped in /);
  await started.signalGroup('SIGINT');
  await sleep(sameWishMs);
  started.child.kill('SIGINT');
  expect(await started.ended).toMatchObject({ exitCode: 130, leftFiles: [], leftProcesses: [] });
});
