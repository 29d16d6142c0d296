import { eventLoopYielder } from '../../../core/concurrency/event-loop.ts';
import { type ErrorDetail, invalid, invalidAt } from '../../../core/errors/errors.ts';
import { responseBytesMax } from '../../../platform/http/responses/body-sizes.ts';
import { metadataBytesMax, type RecordItem } from '../record.ts';
import { type BulkTargets, getTargetsMember } from './bulk-targets.ts';

export const recordsPerEdit = 10_000;
/** All new metadata together: it is in memory at once, and the time to write it is limited. */
const plannedBytesMax = 64_000_000;
const shownMax = 1_000;

type Metadata = RecordItem['metadata'];

export interface MetadataChange {
  updates: Metadata;
  deleteFields: ReadonlySet<string>;
}

export interface RecordEdit {
  id: string;
  revision: number;
  /** The new metadata as stored JSON text; absent if the record does not change. */
  metadata?: string;
  /** Only for records in the response. */
  shown?: { before: Metadata; after: Metadata };
}

export function planEdit({ id, revision, metadata: before }: RecordItem, change: MetadataChange) {
  const merged: Metadata = { ...before, ...change.updates };
  const after = Object.fromEntries(
    Object.entries(merged).filter(([field]) => !change.deleteFields.has(field)),
  );
  const [old, metadata] = [JSON.stringify(before), JSON.stringify(after)];
  const bytes = Buffer.byteLength(metadata);
  return {
    edit: { id, revision, ...(metadata !== old && { metadata }) },
    shown: { before, after },
    bytes: metadata === old ? 0 : bytes,
    shownBytes: Buffer.byteLength(old) + bytes,
    tooLarge: metadata !== old && bytes > metadataBytesMax,
  };
}

/** Plans the edits of all records. @throws ServiceError 400 if one of them is impossible; nothing is written then. */
export async function bulkPlan(
  pages: AsyncIterable<RecordItem[]>,
  targets: BulkTargets,
  change: MetadataChange,
): Promise<RecordEdit[]> {
  const edits: RecordEdit[] = [];
  const tooLarge: string[] = [];
  let bytesLeft = plannedBytesMax;
  let shownBytesLeft = responseBytesMax;
  const turn = eventLoopYielder();
  for await (const records of pages) {
    for (const record of records) {
      const { edit, shown, ...sizes } = planEdit(record, change);
      bytesLeft -= sizes.bytes;
      shownBytesLeft -= sizes.shownBytes;
      if (sizes.tooLarge) tooLarge.push(record.id);
      const isShown = edits.length < shownMax && shownBytesLeft >= 0;
      edits.push(isShown ? { ...edit, shown } : edit);
      if (edits.length > recordsPerEdit) throw createRefusal(targets, tooMany);
      if (bytesLeft < 0) throw createRefusal(targets, tooMuch);
      await turn();
    }
  }
  if (tooLarge.length > 0) throw invalid(tooLarge.slice(0, 10).map(createTooLargeDetail));
  return edits;
}

const tooMany = `More than ${recordsPerEdit} records match, the maximum for one call; nothing was changed`;
const tooMuch = `The new metadata of all records has more than ${plannedBytesMax} bytes; nothing was changed: edit fewer records at a time`;
const createRefusal = (targets: BulkTargets, message: string) =>
  invalidAt(getTargetsMember(targets), 'TOO_MANY_RECORDS', message);

const createTooLargeDetail = (id: string): ErrorDetail => ({
  path: 'updates',
  code: 'TOO_LARGE',
  message: `The updates would give ${id} more than ${metadataBytesMax} bytes of metadata as JSON; nothing was changed`,
});
