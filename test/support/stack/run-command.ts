import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { launch } from './processes.ts';

/** Runs a script of the repository to its end. @param args What follows the script on the command line. */
export async function runCommand(
  script: string,
  args: readonly string[],
  environment: Record<string, string> = {},
) {
  const child = launch(process.execPath, [script, ...args], environment);
  if (!child.stdout || !child.stderr) throw new Error('No pipe');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
