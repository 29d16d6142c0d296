import { getIdTimeMs } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { walkList } from '../../platform/data/lists/listing.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { recordsRange } from './record.ts';

interface TypeOfRecords {
  type: string;
  /** Of the records that were read. */
  count: number;
  newestId: string;
  /** When the newest record was created. */
  newestAt: string;
}

const recordsReadMax = 10_000;
/** A page with more types is long enough. */
const typesMax = 1_000;
/** Reserved for the response. */
const reserveMs = 5_000;

/** The types of the newest records, from a record on, as the index of all records has them. */
export const recordTypes = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope, readMax = recordsReadMax) =>
    async (cursor: string | undefined, timeLeftMs: () => number) => {
      const types = new Map<string, TypeOfRecords>();
      let recordsRead = 0;
      let nextCursor: string | null = null;
      for await (const { rows, at } of walkList(table, recordsRange(undefined), { cursor })) {
        recordsRead += rows.length;
        for (const row of rows) count(types, row.type as string, row.id as string);
        nextCursor = at ?? null;
        if (recordsRead >= readMax || types.size >= typesMax || timeLeftMs() < reserveMs) break;
      }
      return { types: [...types.values()], recordsRead, nextCursor };
    },
);

/** Counts a record. The first one of a type is the newest. */
function count(types: Map<string, TypeOfRecords>, type: string, id: string): void {
  const entry = types.get(type);
  if (entry) entry.count++;
  else types.set(type, { type, count: 1, newestId: id, newestAt: new Date(getIdTimeMs(id)).toISOString() });
}
