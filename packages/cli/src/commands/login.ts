import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { profilesPath, saveProfile } from '../session/profiles.ts';
import { clientOf, type GlobalOptions } from '../session/session.ts';
import { readHidden } from '../terminal/input.ts';
import { print, printJson } from '../terminal/output.ts';

interface LoginOptions extends GlobalOptions {
  url: string;
  key: string | true;
}

export const addLogin = (program: Command) =>
  program
    .command('login')
    .description('Store the address of a deployment and a key for it')
    .option(
      '--url <address>',
      'the address of the API, with the stage if there is one',
      'http://127.0.0.1:3000',
    )
    .requiredOption(
      '--key [key]',
      'an API key; without a value it is asked for, or read from the standard input',
    )
    .action(async (_, command: Command) => login(command.optsWithGlobals<LoginOptions>()));

async function login({ url, key, profile: name, json }: LoginOptions): Promise<void> {
  if (!URL.canParse(url)) throw new CliError(`${url} is not an address. Example: https://api.example.com`);
  const apiKey = key === true ? await readHidden('API key: ') : key;
  if (apiKey === '') throw new CliError('The key is empty');
  const profile = { url, apiKey };
  // The key is tried before it is stored.
  await clientOf(profile).usageLimits.get();
  const path = profilesPath(process.env);
  saveProfile(path, name, profile);
  if (json) printJson({ profile: name, url, path });
  else print(`Logged in to ${url}. The key is in ${path}`);
}
