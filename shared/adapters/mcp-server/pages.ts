import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';

export const pageMax = 50;

export const invalidMcpCursor = () =>
  invalidAt('cursor', 'INVALID_CURSOR', 'Not a cursor of this list. List it from its start');

/** A page of a list that is in memory. The cursor names the last item of the page before. @throws 400 */
export function listPage<T extends { name: string }>(all: readonly T[], cursor: string | undefined) {
  const last = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  const at = all.findIndex(({ name }) => name === last);
  if (last !== undefined && at === -1) throw invalidMcpCursor();
  const page = all.slice(at + 1, at + 1 + pageMax);
  const name = page.at(-1)?.name ?? '';
  const hasMore = at + 1 + pageMax < all.length;
  return { page, ...(hasMore && { nextCursor: Buffer.from(name).toString('base64url') }) };
}

/** Where a page of several lists begins: in one of them, at a cursor of that list. */
const Position = z.strictObject({ type: z.string(), cursor: z.string().optional() });
type Position = z.infer<typeof Position>;

interface PartOfPage<T> {
  rows: readonly T[];
  nextCursor: string | null | undefined;
}

/**
 * A page of several lists, one after the other.
 * @param types Their names. @param read Reads a page of one of them. @throws 400 for a cursor of another list
 */
export async function pageAcross<T>(
  types: readonly string[],
  cursor: string | undefined,
  read: (type: string, query: { limit: number; cursor: string | undefined }) => Promise<PartOfPage<T>>,
): Promise<{ rows: T[]; nextCursor?: string }> {
  const rows: T[] = [];
  let position = cursor === undefined ? startList(types[0]) : parsePosition(cursor, types);
  while (position && rows.length < pageMax) {
    const { type, cursor: inner }: Position = position;
    const page = await read(type, { limit: pageMax - rows.length, cursor: inner });
    rows.push(...page.rows);
    position = page.nextCursor
      ? { type, cursor: page.nextCursor }
      : startList(types[types.indexOf(type) + 1]);
  }
  const nextCursor = position && Buffer.from(JSON.stringify(position)).toString('base64url');
  return { rows, ...(nextCursor && { nextCursor }) };
}

const startList = (type: string | undefined): Position | undefined =>
  type === undefined ? undefined : { type };

function parsePosition(cursor: string, types: readonly string[]): Position {
  try {
    const position = Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (types.includes(position.type)) return position;
  } catch (error) {
    if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
  }
  throw invalidMcpCursor();
}
