/**
 * The records as steps of flows and tools see them: finds one by id, name or filter, merges values, creates or replaces.
 *
 * Of several that match a filter it takes the one with the latest change, which requires reading all of a type, up to a bound.
 * An update is decided again on the record as it then is if another writer came first; if it no longer matches, on the one
 * that matches now. Refusals become failures of the step, with their reasons.
 */

import type {
  FlowRecord,
  MergeStrategy,
  RecordSelector,
  RecordsPort,
} from '../../adapters/ports/records-port.ts';
import { conflict, invalidAt, ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { RecordFilter } from '../../core/filters/filter.ts';
import { filterPredicate, matches } from '../../core/filters/matches.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { NewMetadata, type Owner, type RecordItem, recordEntity } from './record.ts';
import { createValuesUpdate, recordStore } from './record-store.ts';
import { idPages } from './schema-discovery.ts';

export const recordsPort = /* @__PURE__ */ using(
  [recordStore],
  (scope: Scope, owner: Owner): Omit<RecordsPort, 'batchRows'> => {
    const find = findRecord(scope);

    async function search({ type, name, search, where, limit }: Parameters<RecordsPort['search']>[0]) {
      const filters = { type, name, search, ...(where && { recordFilter: { type, where } }) };
      const { records, pagination } = await recordStore(scope).list(filters, { limit });
      return { records: records.map(toFlowRecord), hasMore: pagination.hasMore };
    }

    async function update(
      selector: RecordSelector,
      updates: Record<string, unknown>,
      strategy: MergeStrategy,
    ) {
      // Validated first: values that are nested too deeply cannot even be merged.
      const changes = parseOrReject(NewMetadata, updates);
      const record = await find(selector);
      if (!record) return undefined;
      const merge = ({ metadata }: RecordItem) => ({
        update: createValuesUpdate(scope, {
          metadata: parseOrReject(NewMetadata, mergeMetadata[strategy](metadata, changes)),
        }),
      });
      const readAgain = (before: RecordItem) => rereadRecord(before, selector);
      return scope.table.modify(recordEntity, record, merge, { current: record, readAgain, conflictError });
    }

    /** The record after another writer's change, which usually made it the latest one; or the record that matches now. */
    async function rereadRecord(
      before: RecordItem,
      selector: RecordSelector,
    ): Promise<RecordItem | undefined> {
      const record = await find({ id: before.id });
      return record && isRecordMatch(record, selector, scope.now()) ? record : find(selector);
    }

    return {
      find: (selector) => runAsStep(async () => toShownRecord(await find(selector))),
      search: (query) => runAsStep(() => search(query)),
      async *pages({ type, where }) {
        const filters = where ? { recordFilter: { type, where } } : { type };
        for await (const { records } of recordStore(scope).matching(filters)) yield records.map(toFlowRecord);
      },
      upsert: (record) => runAsStep(() => recordStore(scope).upsert({ ...record, ...owner })),
      update: (...asked) => runAsStep(async () => toShownRecord(await update(...asked))),
    };
  },
);

const conflictError = () => conflict('The record was changed by other requests several times; try again');

const toShownRecord = (record: RecordItem | undefined): FlowRecord | undefined =>
  record && toFlowRecord(record);

const toFlowRecord = ({ id, type, name, metadata, createdAt, updatedAt }: RecordItem): FlowRecord => ({
  id,
  type,
  name,
  metadata,
  createdAt,
  updatedAt,
});

/** Turns a rejection of the request into a failure of the step. */
async function runAsStep<T>(work: () => Promise<T>): Promise<T> {
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

/** How many records a filter reads at most: finding the latest change requires all of them. */
const recordsReadMax = 10_000;

export const findRecord = (scope: Scope, readMax = recordsReadMax) => {
  const records = recordStore(scope);

  async function findById(id: string): Promise<RecordItem | undefined> {
    const [record] = await records.getMany([id]);
    return record;
  }

  /** The matching record with the latest change. Of two changed at the same time, the newer record. */
  async function findLatest(type: string, filter: RecordFilter | undefined): Promise<RecordItem | undefined> {
    const isMatch = filter ? filterPredicate(filter, scope.now()) : () => true;
    let best: RecordItem | undefined;
    let read = 0;
    for await (const ids of idPages(scope, type)) {
      read += ids.length;
      if (read > readMax) throw createTooManyError(type, readMax);
      for (const record of (await records.getMatching(ids, isMatch)).records) {
        if (!best || record.updatedAt > best.updatedAt) best = record;
      }
    }
    return best;
  }

  return async function find(selector: RecordSelector): Promise<RecordItem | undefined> {
    if ('id' in selector) return findById(selector.id);
    if (!('name' in selector)) return findLatest(selector.type, selector.filter);
    const id = await records.findId(selector);
    const record = id === undefined ? undefined : await findById(id);
    return record && isRecordMatch(record, selector, scope.now()) ? record : undefined;
  };
};

function isRecordMatch(record: RecordItem, selector: RecordSelector, now: Date): boolean {
  if ('id' in selector) return record.id === selector.id;
  if (record.type !== selector.type) return false;
  if ('name' in selector) return record.name === selector.name;
  return !selector.filter || matches(record, selector.filter, now);
}

const createTooManyError = (type: string, readMax: number) =>
  invalidAt(
    'recordFilter',
    'TOO_MANY_RECORDS',
    `There are more than ${readMax} records of the type "${type}", the maximum for a filter; select the record by its id or its name`,
  );

type Metadata = Record<string, unknown>;

const mergeMetadata: Record<MergeStrategy, (before: Metadata, updates: Metadata) => Metadata> = {
  merge: (before, updates) => ({ ...before, ...updates }),
  replace: (_before, updates) => updates,
  'deep-merge': mergeDeep,
};

/** Like JSON Merge Patch (RFC 7396): merges objects, removes keys with null, replaces everything else. */
function mergeDeep(before: unknown, updates: Metadata): Metadata {
  const merged = new Map(Object.entries(isJsonObject(before) ? before : {}));
  for (const [key, value] of Object.entries(updates)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? mergeDeep(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}
