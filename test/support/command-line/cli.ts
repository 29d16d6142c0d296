import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { newTenant, stack } from '../stack/stack.ts';

const main = resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

export type Cli = Awaited<ReturnType<typeof newCli>>;

/** The command line of somebody with a tenant and settings of their own. */
export async function newCli() {
  const tenant = await newTenant();
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  const {
    AGENT_FLOW_KEY: _key,
    AGENT_FLOW_URL: _url,
    NO_COLOR: _color,
    // Colours are off where it is set.
    CI: _ci,
    FORCE_COLOR: _forced,
    ...inherited
  } = process.env;
  const environment = { ...inherited, XDG_CONFIG_HOME: folder, INIT_CWD: folder };
  const loggedIn = { ...environment, AGENT_FLOW_URL: stack().url, AGENT_FLOW_KEY: tenant.token };
  const begin = (parameters: readonly string[], env: NodeJS.ProcessEnv = loggedIn): ChildProcess =>
    spawn(process.execPath, [main, ...parameters], { env });
  return {
    tenant,
    folder,
    environment,
    begin,
    run: (parameters: readonly string[], input = '') => ended(begin(parameters), input),
    runLoggedOut: (parameters: readonly string[], input = '') => ended(begin(parameters, environment), input),
    /** In a pseudo-terminal, in which `keys` are typed after a question. @returns all that the terminal shows */
    inTerminal: (parameters: readonly string[], keys = '') => {
      const command = [process.execPath, main, ...parameters].map((each) => `'${each}'`).join(' ');
      const terminal = spawn('script', ['-qec', command, '/dev/null'], {
        env: { ...loggedIn, TERM: 'xterm' },
      });
      // What is typed earlier is shown by the terminal itself.
      terminal.stdout.on('data', (chunk) => String(chunk).endsWith(': ') && terminal.stdin.write(keys));
      return ended(terminal);
    },
    json: async (parameters: readonly string[], input = '') => {
      const { stdout, stderr } = await ended(begin([...parameters, '--json']), input);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout);
    },
  };
}

async function ended(child: ChildProcess, input?: string) {
  if (!child.stdout || !child.stderr) throw new Error('No pipe');
  if (input !== undefined) child.stdin?.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
