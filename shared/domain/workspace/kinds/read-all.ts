import { mapConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import { ifMissing, tooLarge } from '../../../core/errors/errors.ts';
import type { CursorQuery } from '../../../platform/data/lists/pages.ts';

/** Of a kind, so that a document fits a response and is read in time. */
export const resourcesMax = 1_000;
const readsAtOnce = 10;

/** How much the resources of a request may take together, as JSON. Reading ends where it is used up. */
export interface DocumentRoom {
  bytes: number;
}

interface Page {
  ids: readonly string[];
  nextCursor: string | null;
}

/** All resources of a list that is newest first, oldest first. One that is deleted meanwhile is left out. */
export async function readAll<R extends { id: string }>(
  list: (query: CursorQuery) => Promise<Page>,
  get: (id: string) => Promise<R>,
  room: DocumentRoom,
): Promise<R[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list({ limit: 100, cursor });
    ids.push(...page.ids);
    if (ids.length > resourcesMax) throw createTooManyError();
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  const found: R[] = [];
  const reads = mapConcurrently(ids, readsAtOnce, (id) => get(id).catch(ifMissing(undefined)));
  for await (const each of reads) {
    if (!each) continue;
    room.bytes -= JSON.stringify(each).length;
    if (room.bytes < 0) throw createTooManyBytes();
    found.push(each);
  }
  return found.sort((one, other) => (one.id < other.id ? -1 : 1));
}

const createTooManyBytes = () =>
  tooLarge({ code: 'TOO_LARGE', message: 'The resources are too large to be read at once' });

const createTooManyError = () =>
  tooLarge({
    code: 'TOO_LARGE',
    message: `A workspace document holds at most ${resourcesMax} resources of a kind`,
  });
