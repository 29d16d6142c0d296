import { invalidAt } from '../../../core/errors/errors.ts';
import { targetPages } from '../../../domain/records/bulk/bulk-targets.ts';
import type { ScheduleRecordFilter } from '../../../domain/schedules/schedule.ts';
import type { Scope } from '../../../platform/data/scope.ts';

/** What selects the records of a run. At most one of them is set. */
export interface RunRecordSelection {
  recordIds?: readonly string[] | null | undefined;
  recordType?: string | null | undefined;
  recordFilter?: ScheduleRecordFilter | null | undefined;
}

export type SelectedRecords = { recordIds: readonly string[] } | { recordType: string };

/** As many as a bulk operation takes. Their ids fit one item. */
const recordsMax = 10_000;

/** The records by their type if that says it all, else by their ids. Null if nothing selects any. */
export async function selectedRecords(
  scope: Scope,
  { recordIds, recordType, recordFilter }: RunRecordSelection,
  timeLeftMs: () => number,
): Promise<SelectedRecords | null> {
  if (recordIds) return { recordIds };
  if (typeof recordType === 'string') return { recordType };
  if (!recordFilter) return null;
  if (!recordFilter.where) return { recordType: recordFilter.type };
  return { recordIds: await matchingIds(scope, recordFilter, timeLeftMs) };
}

async function matchingIds(scope: Scope, recordFilter: ScheduleRecordFilter, timeLeftMs: () => number) {
  const ids: string[] = [];
  for await (const page of targetPages(scope, { recordFilter }, { timeLeftMs })) {
    ids.push(...page.map(({ id }) => id));
    if (ids.length > recordsMax) {
      const message = `More than ${recordsMax} records match. Use a narrower filter, or a record type`;
      throw invalidAt('recordFilter', 'TOO_MANY_RECORDS', message);
    }
  }
  return ids;
}
