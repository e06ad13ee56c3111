import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compiled } from '../compiled.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The app as `cdk.json` has it, and as plain JavaScript, which starts sooner. */
export const app = 'npx tsx bin/app.ts';
const compiledPath = compiled(join(root, 'bin/app.ts'));
export const compiledApp = `node ${compiledPath}`;

/** The app alone, without the command that reads what it leaves. */
export function runApp(env: Readonly<Record<string, string>>) {
  const options = { cwd: root, env: { PATH: process.env.PATH, CDK_VALIDATION: 'false', ...env } };
  return promisify(execFile)(process.execPath, [compiledPath], options).catch((error) => error);
}

/**
 * `cdk` as somebody would call it, without account or network. Bundles are built beforehand, as for every other test.
 *
 * @param output where the synthesis goes
 */
export async function runCdk(
  output: string,
  settings: { readonly app: string; readonly validation: boolean },
  ...args: readonly string[]
) {
  const command = [join(root, 'node_modules/aws-cdk/bin/cdk'), ...args, '--app', settings.app];
  const environment = {
    PATH: process.env.PATH,
    HOME: output,
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    ...(!settings.validation && { CDK_VALIDATION: 'false' }),
  };
  const options = { cwd: root, timeout: 200_000, env: environment };
  return promisify(execFile)(process.execPath, [...command, '--output', output], options).catch(
    (error) => error,
  );
}
