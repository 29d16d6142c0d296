import * as z from 'zod';
import { chunksOf } from '../../core/chunks.ts';
import { invalidAt } from '../../core/errors.ts';
import { type Filterable, heldBy, isSet } from '../../core/filters/field.ts';
import { Field, type RecordFilter } from '../../core/filters/filter.ts';
import { folded, matches } from '../../core/filters/matches.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { idPages, idsPerPage } from './id-pages.ts';
import type { RecordItem } from './record.ts';
import { recordStore } from './record-store.ts';

const operators = ['equals', 'equals_ci', 'not_equals', 'contains', 'not_contains'] as const;

/** What a bulk edit may ask of all records. */
export const BulkCondition = z
  .strictObject({
    field: Field,
    operator: z.enum(operators),
    value: z.union([z.string(), z.number(), z.boolean()]),
  })
  .refine(({ operator, value }) => !operator.endsWith('contains') || value !== '', {
    path: ['value'],
    message: 'What is contained has to be a text that is not empty',
  });
export type BulkCondition = z.infer<typeof BulkCondition>;

/** Which records a call means: by their ids, by a filter within a type, or by conditions that all of them have to meet. */
export type BulkTargets =
  | { recordIds: readonly string[] }
  | { recordFilter: { type: string; where?: RecordFilter | undefined } }
  | { conditions: readonly BulkCondition[] };

const tests: Record<BulkCondition['operator'], (record: Filterable, asked: BulkCondition) => boolean> = {
  equals: filterBy('eq'),
  not_equals: filterBy('neq'),
  contains: filterBy('contains'),
  not_contains: (record, asked) => !tests.contains(record, asked),
  equals_ci(record, asked) {
    const held = heldBy(record, asked.field);
    if (tests.equals(record, asked)) return true;
    return isSet(held) && typeof held !== 'object' && folded(held) === folded(asked.value);
  },
};

/** None of these operators asks what time it is. */
const anyTime = new Date(0);
function filterBy(op: 'eq' | 'neq' | 'contains') {
  const asOperand = (value: BulkCondition['value']) => (op === 'contains' ? String(value) : value);
  return (record: Filterable, { field, value }: BulkCondition) =>
    matches(record, { field, op, value: asOperand(value) }, anyTime);
}

/** Whether a record is among those that are meant. */
export function isTarget(record: RecordItem, targets: BulkTargets, now: Date): boolean {
  if ('recordIds' in targets) return true;
  if ('conditions' in targets)
    return targets.conditions.every((asked) => tests[asked.operator](record, asked));
  const { type, where } = targets.recordFilter;
  return record.type === type && (!where || matches(record, where, now));
}

/** As many as can be read in half of a request's time. */
const recordsReadMax = 50_000;
/** What is kept back of it for the writes. */
const reserveMs = 10_000;

/** Reads the records that are meant, a page at a time: the newest first, or in the order of the ids. */
export async function* targetPages(
  scope: Scope,
  targets: BulkTargets,
  { timeLeftMs, readMax = recordsReadMax }: { timeLeftMs: () => number; readMax?: number },
): AsyncGenerator<RecordItem[], void> {
  const { getMany } = recordStore(scope);
  const now = scope.now();
  let read = 0;
  for await (const ids of pagesOf(scope, targets)) {
    read += ids.length;
    if (read > readMax || timeLeftMs() < reserveMs) throw tooManyToRead(targets, readMax);
    const records = await getMany(ids);
    yield records.filter((record) => isTarget(record, targets, now));
  }
}

const pagesOf = (scope: Scope, targets: BulkTargets) =>
  'recordIds' in targets
    ? chunksOf([...new Set(targets.recordIds)], idsPerPage)
    : idPages(scope, 'recordFilter' in targets ? targets.recordFilter.type : undefined);

/** The member of the request that says which records are meant. */
export const memberOf = (targets: BulkTargets) =>
  'recordIds' in targets ? 'recordIds' : 'recordFilter' in targets ? 'recordFilter' : 'conditions';

const tooManyToRead = (targets: BulkTargets, readMax: number) =>
  invalidAt(
    memberOf(targets),
    'TOO_MANY_RECORDS',
    `There are more records to look through than a call can: ${readMax} at most, fewer where they are large. Nothing was changed; list the records that are meant, and name them by their ids`,
  );
