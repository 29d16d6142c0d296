import { accessSync, chmodSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';

/** A deployment and a credential for it. */
export interface CliProfile {
  url: string;
  apiKey: string;
}

type Profiles = Record<string, CliProfile>;
type Environment = Readonly<Record<string, string | undefined>>;

/** In the usual folder for settings of programs. */
export function profilesPath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || env.APPDATA || join(homedir(), '.config');
  return join(base, 'agent-flow', 'profiles.json');
}

function readProfiles(path: string): Profiles {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`${path} is not JSON. Delete it, then run: agent-flow login`);
  }
}

/** Before a key is created that could not be stored. @throws CliError that says why profiles cannot be stored */
export function assertStorable(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new CliError(`Logins cannot be stored in ${folder}: ${(error as Error).message}`);
  }
  readProfiles(path);
}

/** Only its owner may read the file: it contains keys. */
export function saveProfile(path: string, name: string, profile: CliProfile): void {
  const profiles = { ...readProfiles(path), [name]: profile };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  // The mode of a file that was there already stays otherwise.
  chmodSync(path, 0o600);
}

/** What AGENT_FLOW_URL and AGENT_FLOW_KEY say, else the profile. @throws CliError that says how to log in */
export function chosenProfile(env: Environment, name: string): CliProfile {
  const stored = readProfiles(profilesPath(env))[name];
  const url = env.AGENT_FLOW_URL || stored?.url;
  const apiKey = env.AGENT_FLOW_KEY || stored?.apiKey;
  if (url && apiKey) return { url, apiKey };
  const option = name === 'default' ? '' : ` --profile ${name}`;
  throw new CliError(
    `You are not logged in${option && ` to the profile ${name}`}. Run: agent-flow login --url <address>${option}`,
  );
}
