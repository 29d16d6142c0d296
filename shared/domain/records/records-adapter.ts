import type {
  FlowRecord,
  MergeStrategy,
  RecordSelector,
  RecordsPort,
} from '../../adapters/ports/records-port.ts';
import { conflict, ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { findRecord, isRecordMatch } from './find-record.ts';
import { NewMetadata } from './limits.ts';
import { mergeMetadata } from './merge-metadata.ts';
import type { Owner } from './new-record.ts';
import { type RecordItem, recordEntity } from './record.ts';
import { recordStore, valuesUpdate } from './record-store.ts';

export const recordsPort = /* @__PURE__ */ using([recordStore], (scope: Scope, owner: Owner): RecordsPort => {
  const find = findRecord(scope);

  async function search({ type, name, search, where, limit }: Parameters<RecordsPort['search']>[0]) {
    const filters = { type, name, search, ...(where && { recordFilter: { type, where } }) };
    const { records, pagination } = await recordStore(scope).list(filters, { limit });
    return { records: records.map(flowRecordOf), hasMore: pagination.hasMore };
  }

  async function update(selector: RecordSelector, updates: Record<string, unknown>, strategy: MergeStrategy) {
    // Validated first: values that are nested too deeply cannot even be merged.
    const given = parseOrReject(NewMetadata, updates);
    const known = await find(selector);
    if (!known) return undefined;
    const merged = ({ metadata }: RecordItem) => ({
      update: valuesUpdate(scope, {
        metadata: parseOrReject(NewMetadata, mergeMetadata[strategy](metadata, given)),
      }),
    });
    const readAgain = (before: RecordItem) => again(before, selector);
    return scope.table.modify(recordEntity, known, merged, { known, readAgain, conflictError });
  }

  /** The record after another writer's change, which usually made it the latest one; or the record that matches now. */
  async function again(before: RecordItem, selector: RecordSelector): Promise<RecordItem | undefined> {
    const record = await find({ id: before.id });
    return record && isRecordMatch(record, selector, scope.now()) ? record : find(selector);
  }

  return {
    find: (selector) => asStep(async () => seen(await find(selector))),
    search: (query) => asStep(() => search(query)),
    upsert: (record) => asStep(() => recordStore(scope).upsert({ ...record, ...owner })),
    update: (...asked) => asStep(async () => seen(await update(...asked))),
  };
});

const conflictError = () => conflict('The record was changed by other requests several times; try again');

const seen = (record: RecordItem | undefined): FlowRecord | undefined => record && flowRecordOf(record);

const flowRecordOf = ({ id, type, name, metadata, createdAt, updatedAt }: RecordItem): FlowRecord => ({
  id,
  type,
  name,
  metadata,
  createdAt,
  updatedAt,
});

/** Turns a rejection of the request into a failure of the step. */
async function asStep<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { details, message, code } = error;
    const reasons = details.map((detail) => detail.message).join('; ') || message;
    throw new StepError(`The record was rejected: ${reasons}`, {
      retryable: code === 'CONFLICT',
      cause: error,
    });
  }
}
