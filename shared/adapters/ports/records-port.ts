import type { RecordFilter } from '../../core/filters/filter.ts';

/** The fields of a record that flows see. */
export interface FlowRecord {
  id: string;
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** Selects one record: by id, by type and name, or the most recently changed match of a filter. */
export type RecordSelector =
  | { id: string }
  | { type: string; name: string }
  | { type: string; filter?: RecordFilter | undefined };

export type MergeStrategy = 'merge' | 'replace' | 'deep-merge';

export interface RecordsPort {
  /** @returns undefined if there is none. @throws StepError if too many records would have to be read. */
  find: (selector: RecordSelector) => Promise<FlowRecord | undefined>;
  /** The newest matching records. Reads a bounded number: `hasMore` if it did not reach the end. @throws StepError. */
  search: (query: {
    type: string;
    name?: string | undefined;
    search?: string | undefined;
    where?: RecordFilter | undefined;
    limit: number;
  }) => Promise<{ records: FlowRecord[]; hasMore: boolean }>;
  /** All records of a type that match, page by page. @throws StepError */
  pages: (query: { type: string; where?: RecordFilter | undefined }) => AsyncIterable<FlowRecord[]>;
  /** The rows of a batch's table, page by page: a record that has run, with its metadata and the outputs of the steps. @throws StepError */
  batchRows: (batchId: string) => AsyncIterable<Record<string, unknown>[]>;
  /** Creates the record, or replaces the metadata of the record with that type and name. */
  upsert: (record: Pick<FlowRecord, 'type' | 'name' | 'metadata'>) => Promise<{ id: string }>;
  /**
   * Changes the metadata. Keeps the changes of concurrent writers. @returns the record afterwards, undefined if there
   * is none.
   */
  update: (
    selector: RecordSelector,
    updates: Record<string, unknown>,
    strategy: MergeStrategy,
  ) => Promise<FlowRecord | undefined>;
}
