import * as z from 'zod';
import { filterSizes, RecordFilter } from '../../core/filters/filter.ts';
import { resourceId } from '../../core/ids.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { Flag, wholeNumber } from '../../platform/data/lists/query-values.ts';
import { RecordName, RecordType } from './record.ts';
import { fieldTypes } from './record-list.ts';

export const RecordSelection = z.strictObject({
  type: RecordType,
  where: RecordFilter.optional().meta({
    description: `Default: all records of the type. ${filterSizes}`,
  }),
});

const Keys = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((key) => key.trim())
      .filter(Boolean),
  )
  .pipe(z.array(z.string()).min(1, 'Expected keys separated by commas').max(100));

const Count = wholeNumber(0, 999_999);
const Kilobytes = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, 'Expected a number')
  .transform(Number);
const Whether = Flag.transform((text) => text === 'true');

const JsonText = z.string().transform((text, context): unknown => {
  try {
    return parseExact(text);
  } catch {
    context.addIssue({ code: 'custom', params: { code: 'INVALID_JSON' }, message: 'Expected JSON' });
    return z.NEVER;
  }
});

/** The query parameters that filter the record list. They combine with AND. */
export const recordFilters = {
  type: RecordType.optional(),
  name: RecordName.optional().meta({ description: 'The exact name' }),
  search: z.string().max(500).optional().meta({ description: 'A part of the name, case-insensitive' }),
  recordFilter: JsonText.pipe(RecordSelection).optional().meta({
    description: 'JSON of `{type, where?}`, as in the body of preview-filter',
  }),
  metadata_keys: Keys.optional().meta({ description: 'Has any of these keys, separated by commas' }),
  metadata_keys_all: Keys.optional().meta({ description: 'Has all of these keys' }),
  min_fields: Count.optional().meta({ description: 'Has at least this many metadata fields' }),
  max_fields: Count.optional().meta({ description: 'Has at most this many metadata fields' }),
  metadata_types: Keys.pipe(z.array(z.enum(fieldTypes)))
    .optional()
    .meta({ description: `Has a field of any of these types: ${fieldTypes.join(', ')}` }),
  has_large_fields: Whether.optional().meta({
    description: 'Whether a field has more than 10 KB of JSON',
  }),
  min_size_kb: Kilobytes.optional().meta({ description: 'Has at least this many KB of metadata, as JSON' }),
  max_size_kb: Kilobytes.optional().meta({ description: 'Has at most this many KB of metadata, as JSON' }),
  product_surface_id: z.string().min(1).max(500).optional(),
  importId: resourceId('import').optional().meta({ description: 'Created by this import' }),
  distinct: z
    .enum(['type'])
    .optional()
    .meta({ description: '"type" returns only the newest record of each type' }),
};

export const shownFields = {
  includeFields: Keys.optional().meta({
    description: 'Returns only these metadata keys. `include_fields` is an alias',
  }),
  include_fields: Keys.optional().meta({ aliasOf: 'includeFields' }),
};

export type RecordFilters = Partial<z.output<z.ZodObject<typeof recordFilters>>>;
export type ShownFields = z.output<z.ZodObject<typeof shownFields>>;

export const pickFilters = (query: RecordFilters): RecordFilters =>
  Object.fromEntries(Object.keys(recordFilters).map((name) => [name, query[name as keyof RecordFilters]]));

/** The requested metadata keys; all of them by default. */
export function pickShownFields(
  metadata: Record<string, unknown>,
  { includeFields, include_fields }: ShownFields,
) {
  const asked = listFields({ includeFields, include_fields });
  if (!asked) return metadata;
  return Object.fromEntries(
    asked.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])),
  );
}

export const listFields = ({ includeFields, include_fields }: ShownFields): string[] | undefined =>
  includeFields || include_fields
    ? [...new Set([...(includeFields ?? []), ...(include_fields ?? [])])]
    : undefined;
