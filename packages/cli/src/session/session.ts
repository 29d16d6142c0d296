import type { Command } from 'commander';
import { type Client, createClient } from '../../../client/src/client.ts';
import { type CliProfile, chosenProfile } from './profiles.ts';

/** What every command has: the client of the chosen profile, and how to print. */
export interface CliSession {
  client: Client;
  profile: CliProfile;
  isJson: boolean;
}

export interface GlobalOptions {
  profile: string;
  json?: true;
}

export const profileClient = ({ url, apiKey }: CliProfile): Client =>
  createClient({ baseUrl: url, apiKey, retryWaitMsMax: 30_000 });

/** @throws CliError if nobody is logged in */
export function commandSession(command: Command): CliSession {
  const { profile: name, json } = command.optsWithGlobals<GlobalOptions>();
  const profile = chosenProfile(process.env, name);
  return { client: profileClient(profile), profile, isJson: json === true };
}
