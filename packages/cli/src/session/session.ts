import type { Command } from 'commander';
import { type Client, createClient } from '../../../client/src/client.ts';
import { chosenProfile, type Profile } from './profiles.ts';

/** What every command has: the client of the chosen profile, and how to print. */
export interface Session {
  client: Client;
  profile: Profile;
  isJson: boolean;
}

export interface GlobalOptions {
  profile: string;
  json?: true;
}

export const clientOf = ({ url, apiKey }: Profile): Client =>
  createClient({ baseUrl: url, apiKey, retryWaitMsMax: 30_000 });

/** @throws CliError if nobody is logged in */
export function sessionOf(command: Command): Session {
  const { profile: name, json } = command.optsWithGlobals<GlobalOptions>();
  const profile = chosenProfile(process.env, name);
  return { client: clientOf(profile), profile, isJson: json === true };
}
