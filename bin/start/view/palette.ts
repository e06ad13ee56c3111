import type { WriteStream } from 'node:tty';
import { createColors } from 'picocolors';

/** The colours of a stream, or none. */
export type Palette = ReturnType<typeof createColors>;

/** Colours where the stream is a terminal that can show them and `NO_COLOR` is not set; `FORCE_COLOR` has the last word. */
export function choosePalette(
  stream: Pick<WriteStream, 'isTTY'>,
  env: NodeJS.ProcessEnv = process.env,
): Palette {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0';
  const wanted = Boolean(stream.isTTY) && env.TERM !== 'dumb' && !env.NO_COLOR;
  return createColors(forced || wanted);
}
