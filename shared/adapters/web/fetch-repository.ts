/**
 * Text of a GitHub repository: a file, or the files below a path packed into one text.
 * A reference is `owner/name`, an address of GitHub's pages or of git, with branch and path in it or beside it.
 * What is not text is refused; what a pattern leaves out is not fetched. `tasks.ts` packs in a sandbox thread.
 */
import * as z from 'zod';
import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { trimTrailing, urlPart, wholeOrLength } from '../../core/text.ts';
import { decodeText, findEncodingProblem } from '../net/decode-text.ts';
import type { HttpResponse } from '../ports/http-port.ts';
import type { Ports } from '../ports/ports.ts';
import { limitAsStepError, type Sandbox } from '../sandbox/sandbox.ts';
import { isText } from './content.ts';
import type { RepositoryPacking } from './pack-repository.ts';
import { packRepositoryTask } from './tasks.ts';

interface RepositoryPlace {
  owner: string;
  name: string;
  /** A branch, tag or commit. Default: the default branch. */
  ref?: string | undefined;
  /** Without surrounding slashes; empty for the whole repository. */
  path: string;
}

const isName = (text = '') => /^[\w.-]{1,100}$/.test(text) && !/^\.+$/.test(text);

/** `path` and `branch` override those in a URL. @throws StepError */
export function parseRepositoryRef(text: string, more: { path: string; branch: string }): RepositoryPlace {
  const reference = text
    .trim()
    .replace(/^(git@github\.com:|(https?:\/\/)?(www\.)?github\.com\/)/i, '')
    .split(/[?#]/, 1)
    .join('');
  const [owner, repository, kind, ref, ...rest] = reference.split('/').filter((part) => part !== '');
  const name = repository?.replace(/\.git$/, '');
  if (!owner || !name || !isName(owner) || !isName(name) || !['tree', 'blob', undefined].includes(kind)) {
    throw new StepError(
      `Not a GitHub repository: ${wholeOrLength(text, 200)}. Expected owner/name, or its URL`,
    );
  }
  const segments = more.path === '' ? rest : more.path.split('/').filter((part) => part !== '');
  if (segments.some((part) => part === '.' || part === '..')) {
    throw new StepError(`A path in a repository must not contain . or ..: ${more.path}`);
  }
  return { owner, name, ref: more.branch || ref, path: segments.join('/') };
}

const timeoutMs = 20_000;

/** The text of the file at a path, or of all files below it, joined. @throws StepError */
export async function fetchRepository(
  place: RepositoryPlace,
  packing: RepositoryPacking,
  github: GitHub,
  sandbox: Sandbox,
): Promise<string> {
  const file = place.path === '' ? undefined : await fetchFile(place, github);
  if (file) {
    const decoded = decodeText(file);
    if (!isText(decoded.text)) throw new StepError(`${repositoryName(place)} is not text`);
    const problem = findEncodingProblem(decoded);
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

interface GitHub {
  fetch: Ports['fetch'];
  warn: Ports['warn'];
  token?: string | undefined;
  signal: AbortSignal;
}

const archiveBytesMax = 25_000_000;

const Contents = z.object({
  type: z.string(),
  encoding: z.string().optional(),
  content: z.string().optional(),
});

/** The bytes of the file at a path; undefined for a directory. @throws StepError */
async function fetchFile(place: RepositoryPlace, github: GitHub): Promise<Uint8Array | undefined> {
  const path = `contents/${place.path.split('/').map(urlPart).join('/')}`;
  const query = place.ref === undefined ? '' : `?ref=${urlPart(place.ref)}`;
  const answer = await ask(place, path + query, 'application/vnd.github.object+json', github);
  const parsed = Contents.safeParse(tryParseJson(answer.text));
  const { type, encoding, content } = parsed.data ?? { type: 'an unknown type' };
  if (type === 'dir') return undefined;
  if (type !== 'file')
    throw new StepError(`${repositoryName(place)} is neither a file nor a directory, but ${type}`);
  if (encoding === 'base64' && content !== undefined) return Buffer.from(content, 'base64');
  // GitHub omits the content of files above 1 MB.
  return (await ask(place, path + query, 'application/vnd.github.raw+json', github)).bytes;
}

/** The repository's archive, a gzipped tar. @throws StepError */
async function fetchArchive(place: RepositoryPlace, github: GitHub): Promise<Uint8Array> {
  const ref = place.ref === undefined ? '' : `/${urlPart(place.ref)}`;
  return (await ask(place, `tarball${ref}`, 'application/vnd.github+json', github, archiveBytesMax)).bytes;
}

async function ask(
  place: RepositoryPlace,
  path: string,
  accept: string,
  { fetch, token, signal }: GitHub,
  bytesMax?: number,
): Promise<HttpResponse> {
  const base = trimTrailing(process.env.GITHUB_API_URL || 'https://api.github.com', '/');
  const headers = {
    accept,
    'x-github-api-version': '2022-11-28',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const url = `${base}/repos/${place.owner}/${place.name}/${path}`;
  const answer = await fetch({ url, method: 'GET', headers, timeoutMs: 60_000, bytesMax, signal });
  if (answer.status >= 400) throw refusal(place, answer, token !== undefined);
  return answer;
}

function refusal(
  place: RepositoryPlace,
  { status, headers, text }: HttpResponse,
  hasToken: boolean,
): StepError {
  const advice = hasToken ? '' : ' Set auth to a token for a private repository';
  if (status === 404)
    return new StepError(`GitHub does not have ${repositoryName(place)}, or does not show it.${advice}`);
  if (status === 401) return new StepError('GitHub rejected the token in auth');
  if (status === 429 || headers['x-ratelimit-remaining'] === '0') {
    const more = hasToken ? '' : ' Set auth to a token for a higher limit';
    return new StepError(`The GitHub rate limit is exhausted.${more}`, {
      ...failureOfStatus(429, headers['retry-after']),
    });
  }
  const message = z.object({ message: z.string() }).safeParse(tryParseJson(text)).data?.message ?? '';
  return new StepError(`GitHub answered ${status} for ${repositoryName(place)}: ${message.slice(0, 300)}`, {
    ...failureOfStatus(status, headers['retry-after']),
  });
}

const repositoryName = ({ owner, name, ref, path }: RepositoryPlace) =>
  `${owner}/${name}${path && `/${path}`}${ref === undefined ? '' : ` at ${ref}`}`;
