import { spawn } from 'node:child_process';

/** Reads who was born and who is gone; when its input closes, kills the rest and removes the directory. */
const script = `
living=' '
while read -r event pid; do
  case "$event" in
    born) living="$living$pid " ;;
    gone) case "$living" in *" $pid "*) living="\${living%% $pid *} \${living#* $pid }" ;; esac ;;
  esac
done
for pid in $living; do kill -9 "$pid"; done 2>/dev/null
rm -rf -- "$1"
`;

/**
 * Sees to it that nothing is left when this process dies, however it dies: a worker that is stopped does not notice,
 * and nobody would ever wake it. A shell waits for the end of a pipe that the kernel closes with this process.
 */
export class Reaper {
  readonly #input: NodeJS.WritableStream;
  /** Resolves when it has done its work. */
  readonly #done: Promise<void>;

  /** @param directory removed in the end */
  constructor(directory: string) {
    const shell = spawn('/bin/sh', ['-c', script, 'leasehold-undertaker', directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Out of reach of a Ctrl-C in this terminal.
      detached: true,
    });
    shell.unref();
    shell.stdin.on('error', () => {});
    (shell.stdin as unknown as { unref(): void }).unref();
    this.#input = shell.stdin;
    this.#done = new Promise((resolve) => shell.once('exit', () => resolve()));
  }

  born(pid: number): void {
    this.#input.write(`born ${pid}\n`);
  }

  gone(pid: number): void {
    this.#input.write(`gone ${pid}\n`);
  }

  /** Has it do its work now. */
  async close(): Promise<void> {
    this.#input.end();
    await this.#done;
  }
}
