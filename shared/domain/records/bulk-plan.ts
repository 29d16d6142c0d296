import { type ErrorDetail, invalid, invalidAt } from '../../core/errors.ts';
import { eventLoopYielder } from '../../core/event-loop.ts';
import { type BulkTargets, memberOf } from './bulk-targets.ts';
import { metadataBytesMax } from './limits.ts';
import type { RecordItem } from './record.ts';

export const recordsPerEdit = 10_000;
/** What all metadata that is written may have together: it is in memory at once, and there is little time to write it. */
const bytesTogetherMax = 64_000_000;
const shownMax = 1_000;
export const shownBytesMax = 5_000_000;

type Metadata = RecordItem['metadata'];

export interface MetadataChange {
  updates: Metadata;
  deleteFields: ReadonlySet<string>;
}

/** What becomes of one record. */
export interface Edit {
  id: string;
  revision: number;
  /** The metadata to write, as the text that it is kept as; absent where the record is as it should be. */
  metadata?: string;
  /** Only of those that the answer tells of. */
  shown?: { before: Metadata; after: Metadata };
}

export function editOf({ id, revision, metadata: before }: RecordItem, change: MetadataChange) {
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

/** What becomes of all records. @throws ServiceError 400 when any of it cannot be: nothing is written then. */
export async function planOf(
  pages: AsyncIterable<RecordItem[]>,
  targets: BulkTargets,
  change: MetadataChange,
): Promise<Edit[]> {
  const edits: Edit[] = [];
  const tooLarge: string[] = [];
  let bytesLeft = bytesTogetherMax;
  let shownBytesLeft = shownBytesMax;
  const turn = eventLoopYielder();
  for await (const records of pages) {
    for (const record of records) {
      const { edit, shown, ...sizes } = editOf(record, change);
      bytesLeft -= sizes.bytes;
      shownBytesLeft -= sizes.shownBytes;
      if (sizes.tooLarge) tooLarge.push(record.id);
      const isShown = edits.length < shownMax && shownBytesLeft >= 0;
      edits.push(isShown ? { ...edit, shown } : edit);
      if (edits.length > recordsPerEdit) throw refused(targets, tooMany);
      if (bytesLeft < 0) throw refused(targets, tooMuch);
      await turn();
    }
  }
  if (tooLarge.length > 0) throw invalid(tooLarge.slice(0, 10).map(tooLargeAfter));
  return edits;
}

const tooMany = `A call edits ${recordsPerEdit} records at most, and more are meant; nothing was changed`;
const tooMuch = `The metadata of all records may have ${bytesTogetherMax} bytes together; nothing was changed: edit fewer at a time`;
const refused = (targets: BulkTargets, message: string) =>
  invalidAt(memberOf(targets), 'TOO_MANY_RECORDS', message);

const tooLargeAfter = (id: string): ErrorDetail => ({
  path: 'updates',
  code: 'TOO_LARGE',
  message: `With them the metadata of ${id} would have more than ${metadataBytesMax} bytes of JSON; nothing was changed`,
});
