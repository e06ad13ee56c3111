/**
 * Makes a reader that goes away (`leasehold ls | head`) no error: what is written then goes nowhere, and the exit
 * code is still that of the command. Without a listener Node would end the process with a stack trace.
 */
export function endQuietlyOnBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Errors of the operating system all have the same name; only their code tells them apart.
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
