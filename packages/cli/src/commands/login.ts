import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { beginLogin, loginByHand, loginInBrowser } from '../session/browser-login.ts';
import { deploymentAddress, isReadableOnTheWay } from '../session/deployment-address.ts';
import { endKey } from '../session/end-key.ts';
import { assertStorable, profilesPath, saveProfile, storedProfile } from '../session/profiles.ts';
import { type GlobalOptions, profileClient } from '../session/session.ts';
import { confirmed, readHidden } from '../terminal/input.ts';
import { print, printJson, printNotice } from '../terminal/output.ts';

const localStack = 'http://127.0.0.1:3000';

interface LoginOptions extends GlobalOptions {
  url?: string;
  key?: string | true;
  browser: boolean;
}

export const addLogin = (program: Command) =>
  program
    .command('login')
    .description('Get a key for a deployment by the browser, and store both')
    .option(
      '--url <address>',
      `the address of the API, with the stage if there is one (default: that of the last login, else ${localStack})`,
    )
    .option('--no-browser', 'prints the address for a browser of any computer, and asks for the code')
    .option(
      '--key [key]',
      'stores this API key instead; without a value it is asked for, or read from the standard input',
    )
    .action(async (_, command: Command) => login(command.optsWithGlobals<LoginOptions>()));

async function login({ url: typedAddress, key, browser, profile: name, json }: LoginOptions): Promise<void> {
  const path = profilesPath(process.env);
  assertStorable(path);
  const former = storedProfile(path, name);
  const url = deploymentAddress(typedAddress ?? former?.url ?? localStack);
  if (isReadableOnTheWay(url)) printNotice(`Warning: the network can read the key on its way to ${url}`);
  const store = (apiKey: string) => saveProfile(path, name, { url, apiKey, isOwnKey: key === undefined });
  const storeLogin = async ({ apiKey, account }: { apiKey: string; account: string }) => {
    printNotice(`${account} allowed the login`);
    if (!(await confirmed(`Use the account of ${account}? (y/n): `))) {
      await endKey({ url, apiKey, isOwnKey: true });
      throw new CliError('Nothing was stored. Run: agent-flow login');
    }
    store(apiKey);
  };
  if (key !== undefined) store(await triedKey(url, key));
  else if (browser) await loginInBrowser(await beginLogin(url), storeLogin);
  else await storeLogin(await loginByHand(await beginLogin(url)));
  if (json) printJson({ profile: name, url, path });
  else print(`Logged in to ${url}. The key is in ${path}`);
  if (former && former.apiKey !== storedProfile(path, name)?.apiKey) await endKey(former);
  if (process.env.AGENT_FLOW_KEY)
    printNotice('AGENT_FLOW_KEY is set: the commands use that key, not this login');
}

/** A key that the service accepts. */
async function triedKey(url: string, key: string | true): Promise<string> {
  const apiKey = key === true ? await readHidden('API key: ') : key;
  if (apiKey === '') throw new CliError('The key is empty');
  await profileClient({ url, apiKey }).usageLimits.get();
  return apiKey;
}
