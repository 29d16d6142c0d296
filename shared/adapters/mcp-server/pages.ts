import { invalidAt } from '../../core/errors/errors.ts';

export const pageMax = 50;

export const notOfThisList = () =>
  invalidAt('cursor', 'INVALID_CURSOR', 'Not a cursor of this list. List it from its start');

/** A page of a list that is in memory. The cursor names the last item of the page before. @throws 400 */
export function listPage<T extends { name: string }>(all: readonly T[], cursor: string | undefined) {
  const last = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  const at = all.findIndex(({ name }) => name === last);
  if (last !== undefined && at === -1) throw notOfThisList();
  const page = all.slice(at + 1, at + 1 + pageMax);
  const name = page.at(-1)?.name ?? '';
  const hasMore = at + 1 + pageMax < all.length;
  return { page, ...(hasMore && { nextCursor: Buffer.from(name).toString('base64url') }) };
}
