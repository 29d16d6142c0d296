import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sites } from '../../../functions/sites/index.ts';
import { loadOnce } from '../../../shared/core/concurrency/load-once.ts';
import { writeStaticFiles } from '../../static-files.ts';

let directory: string | undefined;

/** Builds the static files on the first request for one, so that the start of the stack does not wait. */
export const prepareStaticFiles = loadOnce(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-flow-static-files-'));
  await writeStaticFiles(sites, directory);
  process.env.STATIC_FILES = directory;
});

export async function removeStaticFiles(): Promise<void> {
  if (directory) await rm(directory, { recursive: true, force: true });
}
