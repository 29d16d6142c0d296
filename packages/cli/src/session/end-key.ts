import { ApiError } from '../../../client/src/client.ts';
import { printNotice } from '../terminal/output.ts';
import { consoleAddress } from './console-address.ts';
import type { CliProfile } from './profiles.ts';
import { profileClient } from './session.ts';

/** Deletes the key of a login that ends, if nothing else uses it. @returns whether it is invalid now */
export async function endKey(profile: CliProfile): Promise<boolean> {
  if (profile.isOwnKey) {
    try {
      await profileClient(profile).apiKeys.deleteSelf();
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return true;
      printNotice(`The key could not be deleted: ${(error as Error).message}`);
    }
  }
  const place = consoleAddress(profile.url, '/settings/api-keys');
  printNotice(
    `The key of the former login, which ends in ${profile.apiKey.slice(-4)}, stays valid. Delete it if nothing uses it: ${place}`,
  );
  return false;
}
