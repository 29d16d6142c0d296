import { StepError } from '../../core/errors/step-error.ts';
import { wholeOrLength } from '../../core/text.ts';

export interface RepositoryPlace {
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
