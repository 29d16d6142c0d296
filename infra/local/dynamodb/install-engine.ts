import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';

/**
 * Installs the engine's package for machines whose package the lock file does not have: it knows Linux on x64 alone, since npm would
 * download those of all platforms to write it. The version is that of the lock file. npm installs into a folder of its own within
 * `node_modules`, so that neither the lock file nor other packages change and `npm ci` removes it; there it is checked, and only then
 * moved to its place, so that a start that breaks off and one beside it leave nothing half done.
 */
const packages = new Set(['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64']);
const installTimeoutMs = 300_000;

/** With its version; undefined if there is none for the machine. */
export function enginePackage(machine: Machine): string | undefined {
  const kind = `${machine.platform}-${machine.arch}`;
  return packages.has(kind) ? `@dynoxide/${kind}@${engineVersion(machine)}` : undefined;
}

function engineVersion({ modules }: Machine): string {
  const lock = JSON.parse(readFileSync(join(modules, '..', 'package-lock.json'), 'utf8'));
  return lock.packages['node_modules/@dynoxide/linux-x64'].version;
}

/** The program that an earlier start installed in this version. */
export function installedEngine(machine: Machine): string | undefined {
  const program = enginePackage(machine) && programIn(engineFolder(machine), machine);
  return program && existsSync(program) ? program : undefined;
}

const engineFolder = (machine: Machine) =>
  join(machine.modules, `.engine-${machine.platform}-${machine.arch}-${engineVersion(machine)}`);

const packageIn = (folder: string, { platform, arch }: Machine) =>
  join(folder, 'node_modules', '@dynoxide', `${platform}-${arch}`);

const programIn = (folder: string, machine: Machine) =>
  join(packageIn(folder, machine), machine.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide');

/** Installs and checks it, or returns why not. */
export async function installEngine(machine: Machine): Promise<{ command: string } | { problem: string }> {
  const name = enginePackage(machine);
  if (!name) return { problem: `there is no package for ${machine.platform}-${machine.arch}` };
  if (machine.env.AGENT_FLOW_INSTALL === 'never')
    return { problem: 'AGENT_FLOW_INSTALL=never leaves that to you' };
  machine.say(`Installing ${name}, the DynamoDB engine for this machine, by npm. This happens once.`);
  const folder = engineFolder(machine);
  let draft: string | undefined;
  try {
    draft = mkdtempSync(`${folder}.`);
    const problem = (await npmInstall(name, draft, machine)) ?? (await problemOf(draft, machine));
    if (problem) return { problem };
    moveTo(folder, draft);
    return { command: programIn(folder, machine) };
  } catch (error) {
    return { problem: (error as Error).message };
  } finally {
    if (draft) rmSync(draft, { recursive: true, force: true });
  }
}

async function npmInstall(name: string, cwd: string, machine: Machine): Promise<string | undefined> {
  const [command, ...first] = npmCommand(machine);
  // Without a lock file and scripts. The prefix keeps npm from the folders above.
  const parameters = [
    'install',
    '--prefix',
    '.',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    name,
  ];
  const { code, output } = await machine.run(command, [...first, ...parameters], {
    cwd,
    timeoutMs: installTimeoutMs,
  });
  return code === 0 ? undefined : `npm ended with ${code}: ${output.trim().slice(-500)}`;
}

/** npm runs by this Node, where it started the service: only a shell finds npm on Windows. */
function npmCommand({ platform, env }: Machine): [string, ...string[]] {
  const cli = env.npm_execpath;
  if (cli && /npm-cli\.c?js$/.test(cli)) return [process.execPath, cli];
  return [platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** What is wrong with an installed package: another version, or a program that does not run here. */
async function problemOf(folder: string, machine: Machine): Promise<string | undefined> {
  const wanted = engineVersion(machine);
  const manifest = JSON.parse(readFileSync(join(packageIn(folder, machine), 'package.json'), 'utf8'));
  if (manifest.version !== wanted) return `npm installed version ${manifest.version}, not ${wanted}`;
  const program = programIn(folder, machine);
  if (machine.platform !== 'win32') chmodSync(program, 0o755);
  const { code, output } = await machine.run(program, ['--version']);
  return code === 0 && output.includes(wanted)
    ? undefined
    : `the installed program does not run here: ${output.trim().slice(-500) || `it ended with ${code}`}`;
}

/** Another start may have done the same meanwhile. */
function moveTo(folder: string, draft: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
