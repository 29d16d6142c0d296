import { StepError } from '../../core/errors/step-error.ts';
import { decodeText, encodingProblem } from '../net/decode-text.ts';
import { limitAsStepError, type Sandbox } from '../sandbox/sandbox.ts';
import { isText } from './content.ts';
import { fetchArchive, fileAt, type GitHub, repositoryName } from './github.ts';
import type { RepositoryPacking } from './pack-repository.ts';
import type { RepositoryPlace } from './repository.ts';
import { packRepositoryTask } from './tasks.ts';

const timeoutMs = 20_000;

/** The text of the file at a path, or of all files below it, joined. @throws StepError */
export async function fetchRepository(
  place: RepositoryPlace,
  packing: RepositoryPacking,
  github: GitHub,
  sandbox: Sandbox,
): Promise<string> {
  const file = place.path === '' ? undefined : await fileAt(place, github);
  if (file) {
    const decoded = decodeText(file);
    if (!isText(decoded.text)) throw new StepError(`${repositoryName(place)} is not text`);
    const problem = encodingProblem(decoded);
    if (problem) github.warn({ code: 'TEXT_ENCODING', message: `${place.path} ${problem}` });
    return decoded.text;
  }
  const archive = await fetchArchive(place, github);
  const result = await sandbox(
    packRepositoryTask,
    { archive, path: place.path, packing },
    { timeoutMs, signal: github.signal },
  ).catch(limitAsStepError(repositoryName(place), 'to read'));
  if ('problem' in result) throw new StepError(result.problem);
  for (const message of result.warnings) github.warn({ code: 'TEXT_ENCODING', message });
  if (!result.text)
    throw new StepError(`${repositoryName(place)} has no text file that matches the patterns`);
  return result.text;
}
