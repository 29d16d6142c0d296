import * as z from 'zod';
import { toChunks } from '../../../core/chunks.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { FieldValue } from '../../../core/filters/comparison.ts';
import { FieldPath, type RecordFilter, valueCharactersMax } from '../../../core/filters/filter.ts';
import {
  type FieldsPredicate,
  filterableFields,
  filterPredicate,
  toPredicate,
} from '../../../core/filters/matches.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { RecordItem } from '../record.ts';
import { recordStore } from '../record-store.ts';
import { idPages, idsPerPage } from '../schema-discovery.ts';
import type { RecordTest } from '../stored-record.ts';

const operators = ['equals', 'equals_ci', 'not_equals', 'contains', 'not_contains'] as const;

export const BulkCondition = z
  .strictObject({
    field: FieldPath,
    operator: z.enum(operators),
    value: z.union([z.string().max(valueCharactersMax), z.number(), z.boolean()]),
  })
  .refine(({ operator, value }) => !operator.endsWith('contains') || value !== '', {
    path: ['value'],
    message: 'contains and not_contains need a text that is not empty',
  });
export type BulkCondition = z.infer<typeof BulkCondition>;

/** The records of a call: by ids, by a filter within a type, or by conditions that all must hold. */
export type BulkTargets =
  | { recordIds: readonly string[] }
  | { recordFilter: { type: string; where?: RecordFilter | undefined } }
  | { conditions: readonly BulkCondition[] };

/** None of these operators depends on the time. */
const anyTime = new Date(0);
const testBy =
  (op: 'eq' | 'neq') =>
  ({ field, value }: BulkCondition) =>
    toPredicate({ field, op, value }, anyTime);

const tests: Record<BulkCondition['operator'], (asked: BulkCondition) => FieldsPredicate> = {
  equals: testBy('eq'),
  not_equals: testBy('neq'),
  contains: ({ field, value }) => toPredicate({ field, op: 'contains', value: String(value) }, anyTime),
  not_contains(asked) {
    const contains = tests.contains(asked);
    return (fields) => !contains(fields);
  },
  equals_ci(asked) {
    const equals = tests.equals(asked);
    const { folded } = new FieldValue(asked.value);
    return (fields) => {
      const held = fields(asked.field);
      return equals(fields) || (held.isSet && typeof held.value !== 'object' && held.folded === folded);
    };
  },
};

export function createTargetTest(targets: BulkTargets, now: Date): RecordTest {
  if ('recordIds' in targets) return () => true;
  if ('conditions' in targets) {
    const asked = targets.conditions.map((condition) => tests[condition.operator](condition));
    return (record) => {
      const fields = filterableFields(record);
      return asked.every((test) => test(fields));
    };
  }
  const { type, where } = targets.recordFilter;
  const isMatch = where && filterPredicate(where, now);
  return (record) => record.type === type && (!isMatch || isMatch(record));
}

/** As many as a call can read in half of its time. */
const recordsReadMax = 50_000;
/** Reserved for the writes. */
const reserveMs = 10_000;

/** Reads the target records page by page: newest first, or in the order of the ids. */
export async function* targetPages(
  scope: Scope,
  targets: BulkTargets,
  { timeLeftMs, readMax = recordsReadMax }: { timeLeftMs: () => number; readMax?: number },
): AsyncGenerator<RecordItem[], void> {
  const { getMatching } = recordStore(scope);
  const isMatch = createTargetTest(targets, scope.now());
  let read = 0;
  for await (const ids of readPages(scope, targets)) {
    read += ids.length;
    if (read > readMax || timeLeftMs() < reserveMs) throw createTooManyError(targets, readMax);
    yield (await getMatching(ids, isMatch)).records;
  }
}

const readPages = (scope: Scope, targets: BulkTargets) =>
  'recordIds' in targets
    ? toChunks([...new Set(targets.recordIds)], idsPerPage)
    : idPages(scope, 'recordFilter' in targets ? targets.recordFilter.type : undefined);

export const getTargetsMember = (targets: BulkTargets) =>
  'recordIds' in targets ? 'recordIds' : 'recordFilter' in targets ? 'recordFilter' : 'conditions';

const createTooManyError = (targets: BulkTargets, readMax: number) =>
  invalidAt(
    getTargetsMember(targets),
    'TOO_MANY_RECORDS',
    `The call would have to read more than ${readMax} records, or fewer large ones. Nothing was changed; list the records first and pass their ids. An import with mode "upsert" (POST /v1/imports) changes any number`,
  );
