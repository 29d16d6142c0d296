import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';

/** A deployment and a credential for it. */
export interface CliProfile {
  url: string;
  apiKey: string;
  /** Whether the key was created for this profile by a login in the browser, so that nothing else uses it. */
  isOwnKey?: boolean;
}

type Profiles = Record<string, CliProfile>;
type Environment = Readonly<Record<string, string | undefined>>;

/** In the usual folder for settings of programs. */
export function profilesPath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || env.APPDATA || join(homedir(), '.config');
  return join(base, 'agent-flow', 'profiles.json');
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

function readProfiles(path: string): Profiles {
  try {
    const profiles: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof profiles === 'object' && profiles !== null) return profiles as Profiles;
  } catch (error) {
    if (isMissing(error)) return {};
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CliError(`${path} does not contain profiles. Mend or delete it, then run: agent-flow login`);
}

export const storedProfile = (path: string, name: string): CliProfile | undefined => readProfiles(path)[name];

/** @throws CliError that says why a profile could not be stored, before a person allows a key for it */
export function assertStorable(path: string): void {
  rmSync(writeDraft(path, ''));
  readProfiles(path);
}

/** Only its owner may read the file: it contains keys. What it contained before is lost only when the new one is complete. */
export const saveProfile = (path: string, name: string, profile: CliProfile): void =>
  write(path, { ...readProfiles(path), [name]: profile });

export function removeProfile(path: string, name: string): void {
  const { [name]: _removed, ...others } = readProfiles(path);
  write(path, others);
}

const write = (path: string, profiles: Profiles): void =>
  renameSync(writeDraft(path, `${JSON.stringify(profiles, null, 2)}\n`), fileAt(path));

/** @returns the path of a new file beside the profiles */
function writeDraft(path: string, text: string): string {
  let draft = '';
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    draft = `${fileAt(path)}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (draft) rmSync(draft, { force: true });
    throw new CliError(`Logins cannot be stored in ${dirname(path)}: ${(error as Error).message}`);
  }
  return draft;
}

/** The file itself if the path is a link, which stays one. */
function fileAt(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}

/** What AGENT_FLOW_URL and AGENT_FLOW_KEY say, else the profile. @throws CliError that says how to log in */
export function chosenProfile(env: Environment, name: string): CliProfile {
  const stored = storedProfile(profilesPath(env), name);
  const url = env.AGENT_FLOW_URL || stored?.url;
  const apiKey = env.AGENT_FLOW_KEY || stored?.apiKey;
  const option = name === 'default' ? '' : ` --profile ${name}`;
  if (!url || !apiKey) {
    throw new CliError(
      `You are not logged in${option && ` to the profile ${name}`}. Run: agent-flow login --url <address>${option}`,
    );
  }
  // The address of the environment must not get the key of another deployment (D106).
  if (!env.AGENT_FLOW_KEY && !isSameAddress(url, stored?.url)) {
    throw new CliError(
      `AGENT_FLOW_URL is ${url}, but the stored key is for ${stored?.url}. Set AGENT_FLOW_KEY too, or run: agent-flow login --url ${url}${option}`,
    );
  }
  return { url, apiKey };
}

const isSameAddress = (one: string, other = '') => one.replace(/\/+$/, '') === other.replace(/\/+$/, '');
