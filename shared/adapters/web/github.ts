import * as z from 'zod';
import { jsonIn } from '../../core/json.ts';
import { StepError } from '../../core/step-error.ts';
import { withoutTrailing } from '../../core/text.ts';
import type { HttpAnswer, Ports } from '../ports.ts';
import type { RepositoryPlace } from './repository.ts';

export interface GitHub {
  fetch: Ports['fetch'];
  token?: string | undefined;
  signal: AbortSignal;
}

const archiveBytesMax = 25_000_000;

const Contents = z.object({
  type: z.string(),
  encoding: z.string().optional(),
  content: z.string().optional(),
});

/** The bytes of the file at a place, or nothing when a directory is there. @throws StepError */
export async function fileAt(place: RepositoryPlace, github: GitHub): Promise<Uint8Array | undefined> {
  const path = `contents/${place.path.split('/').map(encodeURIComponent).join('/')}`;
  const query = place.ref === undefined ? '' : `?ref=${encodeURIComponent(place.ref)}`;
  const answer = await ask(place, path + query, 'application/vnd.github.object+json', github);
  const parsed = Contents.safeParse(jsonIn(answer.text));
  const { type, encoding, content } = parsed.data ?? { type: 'something that is not known' };
  if (type === 'dir') return undefined;
  if (type !== 'file') throw new StepError(`${nameOf(place)} is neither a file nor a directory, but ${type}`);
  if (encoding === 'base64' && content !== undefined) return Buffer.from(content, 'base64');
  // Beyond 1 MB the content is not in the answer.
  return (await ask(place, path + query, 'application/vnd.github.raw+json', github)).bytes;
}

/** The repository's archive, a gzipped tar. @throws StepError */
export async function archiveOf(place: RepositoryPlace, github: GitHub): Promise<Uint8Array> {
  const ref = place.ref === undefined ? '' : `/${encodeURIComponent(place.ref)}`;
  return (await ask(place, `tarball${ref}`, 'application/vnd.github+json', github, archiveBytesMax)).bytes;
}

async function ask(
  place: RepositoryPlace,
  path: string,
  accept: string,
  { fetch, token, signal }: GitHub,
  bytesMax?: number,
): Promise<HttpAnswer> {
  const base = withoutTrailing(process.env.GITHUB_API_URL || 'https://api.github.com', '/');
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
  { status, headers, text }: HttpAnswer,
  hasToken: boolean,
): StepError {
  const advice = hasToken ? '' : ' Give a token in auth for a private repository';
  if (status === 404) return new StepError(`GitHub has no ${nameOf(place)}, or does not show it.${advice}`);
  if (status === 401) return new StepError('GitHub refused the token');
  if (status === 429 || headers['x-ratelimit-remaining'] === '0') {
    const more = hasToken ? '' : ' Give a token in auth for a larger one';
    return new StepError(`The limit of requests to GitHub is used up.${more}`, { retryable: true });
  }
  const message = z.object({ message: z.string() }).safeParse(jsonIn(text)).data?.message ?? '';
  return new StepError(`GitHub answered ${status} for ${nameOf(place)}: ${message.slice(0, 300)}`, {
    retryable: status >= 500,
  });
}

export const nameOf = ({ owner, name, ref, path }: RepositoryPlace) =>
  `${owner}/${name}${path && `/${path}`}${ref === undefined ? '' : ` at ${ref}`}`;
