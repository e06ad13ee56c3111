import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';

/** Something that the user gave can't be used; the message is for them, one line. */
export class BadInputError extends Error {
  override readonly name = 'BadInputError';
}

/** @throws BadInputError unless it is a directory that this process may read */
export async function checkDirectory(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BadInputError(`--dir: there is no directory ${path}`);
    throw new BadInputError(`--dir: ${path} can't be used: ${error.code ?? error.message}`);
  });
  if (!found.isDirectory()) throw new BadInputError(`--dir: ${path} is not a directory`);
  await access(path, constants.R_OK | constants.X_OK).catch(() => {
    throw new BadInputError(`--dir: no permission to read ${path}`);
  });
}
