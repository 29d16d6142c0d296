import * as z from 'zod';
import { RecordFilter } from '../../core/filters/filter.ts';
import { filterSizes } from '../../core/filters/filter-size.ts';
import { fieldTypes } from './metadata-predicates.ts';
import { RecordName, RecordType } from './record.ts';

/** Records of one type, or those of them that a filter means. */
export const RecordSelection = z.strictObject({
  type: RecordType,
  where: RecordFilter.optional().meta({
    description: `Left out, it means all records of the type. ${filterSizes}`,
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
  .pipe(z.array(z.string()).min(1, 'Expected keys with commas between them').max(100));

const Count = z
  .string()
  .regex(/^\d{1,6}$/, 'Expected a whole number')
  .transform(Number);
const Kilobytes = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, 'Expected a number')
  .transform(Number);
const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const JsonText = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', params: { code: 'INVALID_JSON' }, message: 'Expected JSON' });
    return z.NEVER;
  }
});

/** The filters of the record list, as they stand in a query. They combine with AND. */
export const recordFilters = {
  type: RecordType.optional(),
  name: RecordName.optional().meta({ description: 'The exact name' }),
  search: z.string().max(500).optional().meta({ description: 'A part of the name, in any case' }),
  recordFilter: JsonText.pipe(RecordSelection).optional().meta({
    description: 'The JSON of `{type, where?}`, as the body of preview-filter has it',
  }),
  metadata_keys: Keys.optional().meta({ description: 'Has any of these keys, with commas between them' }),
  metadata_keys_all: Keys.optional().meta({ description: 'Has all of these keys' }),
  min_fields: Count.optional().meta({ description: 'Has so many metadata fields at least' }),
  max_fields: Count.optional().meta({ description: 'Has so many metadata fields at most' }),
  metadata_types: Keys.pipe(z.array(z.enum(fieldTypes)))
    .optional()
    .meta({ description: `Has a field of any of these types: ${fieldTypes.join(', ')}` }),
  has_large_fields: Flag.optional().meta({
    description: 'Whether a field has more than 10 KB of JSON: "true" or "false"',
  }),
  min_size_kb: Kilobytes.optional().meta({ description: 'Has so many KB of metadata at least, as JSON' }),
  max_size_kb: Kilobytes.optional().meta({ description: 'Has so many KB of metadata at most, as JSON' }),
  product_surface_id: z.string().min(1).max(500).optional(),
  distinct: z.enum(['type']).optional().meta({ description: '"type" shows the newest record of each type' }),
};

/** What is shown of the metadata of the records that a list finds. */
export const shownFields = {
  includeFields: Keys.optional().meta({ description: 'Of the metadata only these keys' }),
  include_fields: Keys.optional().meta({ description: 'The same as includeFields' }),
};

export type RecordFilters = Partial<z.output<z.ZodObject<typeof recordFilters>>>;
export type ShownFields = z.output<z.ZodObject<typeof shownFields>>;

export const filtersIn = (query: RecordFilters): RecordFilters =>
  Object.fromEntries(Object.keys(recordFilters).map((name) => [name, query[name as keyof RecordFilters]]));

/** Of some metadata what is asked for; all of it when nothing is. */
export function shownOf(metadata: Record<string, unknown>, { includeFields, include_fields }: ShownFields) {
  const asked = fieldsIn({ includeFields, include_fields });
  if (!asked) return metadata;
  return Object.fromEntries(
    asked.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])),
  );
}

export const fieldsIn = ({ includeFields, include_fields }: ShownFields): string[] | undefined =>
  includeFields || include_fields
    ? [...new Set([...(includeFields ?? []), ...(include_fields ?? [])])]
    : undefined;
