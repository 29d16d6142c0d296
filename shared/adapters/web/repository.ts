import { StepError } from '../../core/step-error.ts';

/** A place in a GitHub repository. */
export interface RepositoryPlace {
  owner: string;
  name: string;
  /** A branch, tag or commit; the default branch without it. */
  ref?: string | undefined;
  /** Without slashes around it; empty for the whole repository. */
  path: string;
}

const isName = (text = '') => /^[\w.-]{1,100}$/.test(text) && !/^\.+$/.test(text);

/**
 * What `owner/name`, or the address of a repository or of something in it, names. `path` and `branch` are what else
 * was said of the place, and go before what the address says. @throws StepError
 */
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
      `Not a GitHub repository: ${text.slice(0, 200)}. Expected owner/name, or its address`,
    );
  }
  const segments = more.path === '' ? rest : more.path.split('/').filter((part) => part !== '');
  if (segments.some((part) => part === '.' || part === '..')) {
    throw new StepError(`A path in a repository has no . or .. in it: ${more.path}`);
  }
  return { owner, name, ref: more.branch || ref, path: segments.join('/') };
}
