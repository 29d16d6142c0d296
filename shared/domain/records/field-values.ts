import { isSet, valueOfField } from '../../core/filters/field.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { responseBytesMax } from '../../platform/http/response-size.ts';
import { firstWithin } from './limits.ts';
import type { RecordItem } from './record.ts';
import { lookAtNewest } from './type-sample.ts';

export interface ValueCount {
  value: unknown;
  count: number;
}

const recordsReadMax = 10_000;
/** What all distinct values may take of the memory, as JSON. */
const valuesBytesMax = 20_000_000;
/** What is kept back of a request's time to answer it. */
const reserveMs = 5_000;

interface Asked {
  type: string;
  field: string;
  limit: number;
}

/** Counts the values that a field has in the newest records of a type; of a list, each of its elements. */
export const fieldValues = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Scope, readMax = recordsReadMax) =>
    async ({ type, field, limit }: Asked, timeLeftMs: () => number) => {
      /** By the JSON of their values. */
      const counts = new Map<string, number>();
      let bytesLeft = valuesBytesMax;
      const look = (record: RecordItem) => {
        for (const value of valuesIn(valueOfField(record, field))) {
          const count = counts.get(value);
          if (count === undefined) bytesLeft -= Buffer.byteLength(value);
          if (count !== undefined || bytesLeft >= 0) counts.set(value, (count ?? 0) + 1);
        }
      };
      const isOver = () => timeLeftMs() < reserveMs;
      const sawAll = await lookAtNewest(scope, type, { readMax, isOver }, look);
      const values = [...counts]
        .toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([value, count]): ValueCount => ({ value: JSON.parse(value), count }));
      const shown = firstWithin(values, responseBytesMax);
      return { values: shown, truncated: !sawAll || bytesLeft < 0 || shown.length < counts.size };
    },
);

/** The values that are set, each once, as JSON. */
const valuesIn = (held: unknown): Set<string> =>
  new Set((Array.isArray(held) ? held : [held]).filter(isSet).map((value) => JSON.stringify(value)));
