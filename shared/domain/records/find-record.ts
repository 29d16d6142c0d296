import type { RecordSelector } from '../../adapters/ports/records-port.ts';
import { filterYielding } from '../../core/concurrency/event-loop.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import type { RecordFilter } from '../../core/filters/filter.ts';
import { filterPredicate, matches } from '../../core/filters/matches.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { idPages } from './id-pages.ts';
import type { RecordItem } from './record.ts';
import { recordStore } from './record-store.ts';

/** How many records a filter reads at most: finding the latest change requires all of them. */
const recordsReadMax = 10_000;

export const findRecord = (scope: Scope, readMax = recordsReadMax) => {
  const records = recordStore(scope);

  async function byId(id: string): Promise<RecordItem | undefined> {
    const [record] = await records.getMany([id]);
    return record;
  }

  /** The matching record with the latest change. Of two changed at the same time, the newer record. */
  async function latest(type: string, filter: RecordFilter | undefined): Promise<RecordItem | undefined> {
    const isMatch = filter ? filterPredicate(filter, scope.now()) : () => true;
    let best: RecordItem | undefined;
    let read = 0;
    for await (const ids of idPages(scope, type)) {
      read += ids.length;
      if (read > readMax) throw tooMany(type, readMax);
      for (const record of await filterYielding(await records.getMany(ids), isMatch, scope.signal)) {
        if (!best || record.updatedAt > best.updatedAt) best = record;
      }
    }
    return best;
  }

  return async function find(selector: RecordSelector): Promise<RecordItem | undefined> {
    if ('id' in selector) return byId(selector.id);
    if (!('name' in selector)) return latest(selector.type, selector.filter);
    const id = await records.idOf(selector);
    const record = id === undefined ? undefined : await byId(id);
    return record && isRecordMatch(record, selector, scope.now()) ? record : undefined;
  };
};

export function isRecordMatch(record: RecordItem, selector: RecordSelector, now: Date): boolean {
  if ('id' in selector) return record.id === selector.id;
  if (record.type !== selector.type) return false;
  if ('name' in selector) return record.name === selector.name;
  return !selector.filter || matches(record, selector.filter, now);
}

const tooMany = (type: string, readMax: number) =>
  invalidAt(
    'recordFilter',
    'TOO_MANY_RECORDS',
    `There are more than ${readMax} records of the type "${type}", the maximum for a filter; select the record by its id or its name`,
  );
