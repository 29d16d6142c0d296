import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { idPages, idsPerPage } from './id-pages.ts';
import type { RecordItem } from './record.ts';
import { recordStore } from './record-store.ts';

interface Bounds {
  readMax: number;
  /** Checked before each page: whether there is no time for another one. */
  isOver?: () => boolean;
}

/** Visits the newest records of a type, and yields to the event loop in between. @returns whether these were all. */
export async function visitNewestRecords(
  scope: Scope,
  type: string,
  { readMax, isOver = () => false }: Bounds,
  look: (record: RecordItem) => void,
): Promise<boolean> {
  const { getMany } = recordStore(scope);
  const turn = eventLoopYielder(scope.signal);
  let left = readMax;
  for await (const ids of idPages(scope, type, Math.min(idsPerPage, readMax))) {
    if (ids.length > 0 && (left === 0 || isOver())) return false;
    for (const record of await getMany(ids.slice(0, left))) {
      // The index is eventually consistent: a record may still appear under its previous type.
      if (record.type === type) look(record);
      await turn();
    }
    if (ids.length > left) return false;
    left -= ids.length;
  }
  return true;
}
