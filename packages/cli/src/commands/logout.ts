import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { endKey } from '../session/end-key.ts';
import { profilesPath, removeProfile, storedProfile } from '../session/profiles.ts';
import type { GlobalOptions } from '../session/session.ts';
import { print, printJson, printNotice } from '../terminal/output.ts';

export const addLogout = (program: Command) =>
  program
    .command('logout')
    .description('Delete the stored login, and its key if a login created it')
    .action(async (_, command: Command) => logout(command.optsWithGlobals<GlobalOptions>()));

async function logout({ profile: name, json }: GlobalOptions): Promise<void> {
  const path = profilesPath(process.env);
  const stored = storedProfile(path, name);
  if (!stored) throw new CliError(`There is no stored login${name === 'default' ? '' : ` ${name}`}`);
  const isKeyDeleted = await endKey(stored);
  removeProfile(path, name);
  // What the command promises, it did not do.
  if (stored.isOwnKey && !isKeyDeleted) process.exitCode = 1;
  if (json) printJson({ profile: name, url: stored.url, isKeyDeleted });
  else print(`Logged out of ${stored.url}${isKeyDeleted ? '. The key was deleted' : ''}`);
  if (process.env.AGENT_FLOW_KEY) printNotice('AGENT_FLOW_KEY is set: the commands go on using that key');
}
