import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { stack } from '../stack/stack.ts';
import type { Cli } from './cli.ts';

export const profilesFile = ({ folder }: Cli) => join(folder, 'agent-flow/profiles.json');

/** A login of the command line that waits for a person. */
export async function waitingLogin(cli: Cli, parameters: readonly string[] = []) {
  // No program of this machine must open a browser.
  const env = { ...cli.environment, PATH: cli.folder };
  const child = cli.begin(['login', '--url', stack().url, ...parameters], env);
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('No pipe');
  const output = text(stdout);
  let said = '';
  const address = new Promise<string>((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (chunk) => {
      said += stripVTControlCharacters(chunk);
      const found = /http\S+#\/command-line\/\S+(?=\s)/.exec(said);
      if (found) resolve(found[0]);
    });
    stderr.on('end', () => reject(new Error(said)));
  });
  const [host = '', challenge = '', port, state] = (await address)
    .replace(/.*#\/command-line\//, '')
    .split('/');
  return {
    child,
    address: await address,
    host,
    challenge,
    port,
    state,
    /** What the browser brings to the port of the program. */
    bring: async (answer: Record<string, string>) => {
      const response = await fetch(`http://127.0.0.1:${port}/callback?${new URLSearchParams(answer)}`);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    ended: async () => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      return { code: child.exitCode, signal: child.signalCode, stdout: await output, stderr: said };
    },
  };
}
