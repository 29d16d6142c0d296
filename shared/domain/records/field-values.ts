import { getFieldValue, isSet } from '../../core/filters/comparison.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { visitNewestRecords } from './newest-records.ts';
import type { RecordItem } from './record.ts';

export interface ValueCount {
  value: unknown;
  count: number;
}

const recordsReadMax = 10_000;
/** The memory limit for all distinct values, as JSON. */
const valuesBytesMax = 20_000_000;
/** Reserved for the response. */
const reserveMs = 5_000;

interface Asked {
  type: string;
  field: string;
  limit: number;
}

/** Counts the values of a field in the newest records of a type. Counts each element of a list. */
export const fieldValues = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Scope, readMax = recordsReadMax) =>
    async ({ type, field, limit }: Asked, timeLeftMs: () => number) => {
      /** Keyed by the values' JSON. */
      const counts = new Map<string, number>();
      let bytesLeft = valuesBytesMax;
      const look = (record: RecordItem) => {
        for (const value of toValues(getFieldValue(record, field))) {
          const count = counts.get(value);
          if (count === undefined) bytesLeft -= Buffer.byteLength(value);
          if (count !== undefined || bytesLeft >= 0) counts.set(value, (count ?? 0) + 1);
        }
      };
      const isOver = () => timeLeftMs() < reserveMs;
      const sawAll = await visitNewestRecords(scope, type, { readMax, isOver }, look);
      const values = [...counts]
        .toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([value, count]): ValueCount => ({ value: parseExact(value), count }));
      const shown = takeWithinBytes(values, responseBytesMax);
      return { values: shown, truncated: !sawAll || bytesLeft < 0 || shown.length < counts.size };
    },
);

/** The distinct values that are set, as JSON. */
const toValues = (held: unknown): Set<string> =>
  new Set((Array.isArray(held) ? held : [held]).filter(isSet).map((value) => JSON.stringify(value)));
