import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { callerPath } from '../session/caller-path.ts';
import { type CliSession, commandSession } from '../session/session.ts';
import { confirmed } from '../terminal/input.ts';
import { print, printJson } from '../terminal/output.ts';
import { printChanges } from '../workspace/changes.ts';
import { type DocumentLists, readFolder, writeFolder } from '../workspace/folder.ts';

interface PlanOptions {
  prune?: true;
  publish?: true;
}

interface PushOptions extends PlanOptions {
  yes?: true;
}

export function addWorkspace(program: Command): void {
  program
    .command('pull')
    .description('Write flows, agents, tools, products and so on into files')
    .argument('[folder]', 'where to', '.')
    .option('--prune', 'also remove files of flows and agents that are gone')
    .action(async (folder: string, { prune }: Pick<PlanOptions, 'prune'>, command: Command) =>
      pull(commandSession(command), callerPath(folder), prune === true),
    );
  const planned = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('[folder]', 'where the files are', '.')
      .option('--prune', 'also delete what the files do not name')
      .option('--publish', 'also publish the flows and agents that change');
  planned('diff', 'Show what a push would change').action(
    async (folder: string, options: PlanOptions, command: Command) =>
      diff(commandSession(command), callerPath(folder), options),
  );
  planned('push', 'Make the deployment what the files say')
    .option('--yes', 'without asking')
    .action(async (folder: string, options: PushOptions, command: Command) =>
      push(commandSession(command), callerPath(folder), options),
    );
}

async function pull({ client, isJson }: CliSession, folder: string, prune: boolean): Promise<void> {
  const document = (await client.workspace.get()) as DocumentLists;
  const { changed, others } = await writeFolder(folder, document, prune);
  if (isJson) return printJson({ changed, [prune ? 'removed' : 'others']: others });
  for (const path of changed) print(path);
  for (const path of others) print(prune ? `Removed ${path}` : `Not in the deployment: ${path}`);
  if (others.length > 0 && !prune) print('Push these files, or remove them with agent-flow pull --prune');
  print(changed.length === 0 ? 'Nothing has changed' : `${counted(changed.length, 'file')} changed`);
}

async function planOf({ client }: CliSession, folder: string, { prune, publish }: PlanOptions) {
  const document = await readFolder(folder);
  const options = { ...(prune && { prune }), ...(publish && { publish }) };
  const plan = await client.workspace.plan({ body: { document, ...options } });
  return { document, options, plan };
}

async function diff(session: CliSession, folder: string, options: PlanOptions): Promise<void> {
  const { plan } = await planOf(session, folder, options);
  if (session.isJson) return printJson(plan);
  const count = printChanges(plan.changes);
  for (const note of plan.notes) print(`Note: ${note}`);
  refuseErrors(plan.errors);
  print(count === 0 ? 'Nothing would change' : `${counted(count, 'change')}`);
}

async function push(session: CliSession, folder: string, pushOptions: PushOptions): Promise<void> {
  const { document, options, plan } = await planOf(session, folder, pushOptions);
  const { planHash, changes, errors, notes } = plan;
  const isShown = !session.isJson;
  const count = isShown ? printChanges(changes) : changes.filter(({ action }) => action !== 'none').length;
  for (const note of isShown ? notes : []) print(`Note: ${note}`);
  refuseErrors(errors);
  if (count === 0) return isShown ? print('Nothing changes') : printJson(plan);
  if (!pushOptions.yes && !(await confirmed(`Apply ${counted(count, 'change')}? (y/n): `))) {
    throw new CliError('Nothing was changed');
  }
  const applied = await session.client.workspace.apply({ body: { document, planHash, ...options } });
  if (!isShown) return printJson(applied);
  print(`Applied ${counted(count, 'change')}`);
  printSecrets(applied.secrets);
}

/** On a terminal only: logs of others keep what they are sent. */
function printSecrets(secrets: readonly { name: string; path: string; value: string }[]): void {
  if (secrets.length === 0) return;
  const isRead = process.stdout.isTTY;
  print(
    isRead
      ? 'The service made secrets. Store them now, nothing shows them again:'
      : `The service made ${counted(secrets.length, 'secret')}, which only a terminal and --json show:`,
  );
  for (const { name, path, value } of secrets) print(`  ${name}: ${path}${isRead ? `: ${value}` : ''}`);
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** @throws CliError that lists them */
function refuseErrors(errors: readonly { path?: string | undefined; message: string }[]): void {
  if (errors.length === 0) return;
  const lines = errors.map(({ path, message }) => `  ${path ? `${path}: ` : ''}${message}`);
  throw new CliError([`The files have ${counted(errors.length, 'error')}:`, ...lines].join('\n'));
}
