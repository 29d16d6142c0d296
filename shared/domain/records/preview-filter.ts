import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordStore } from './record-store.ts';

/** The read limit of a preview in units. A large record counts 1 more for each 4 KB. */
const unitsMax = 10_000;
const samplesMax = 5;

export interface FilterPreview {
  matchedCount: number;
  samples: RecordItem[];
  /** True if there are more records than the preview read. */
  truncated: boolean;
}

/** Counts the matching records, and returns the newest ones. */
export const filterPreviewer = /* @__PURE__ */ using(
  [recordStore],
  (scope: Scope, unitsAllowed = unitsMax) =>
    async (recordFilter: NonNullable<RecordFilters['recordFilter']>): Promise<FilterPreview> => {
      const preview: FilterPreview = { matchedCount: 0, samples: [], truncated: false };
      let units = 0;
      for await (const page of recordStore(scope).matching({ recordFilter })) {
        if (units >= unitsAllowed) return { ...preview, truncated: true };
        preview.matchedCount += page.records.length;
        preview.samples.push(...page.records.slice(0, samplesMax - preview.samples.length));
        units += page.units;
      }
      return preview;
    },
);
