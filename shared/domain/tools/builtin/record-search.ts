import * as z from 'zod';
import { RecordFilter } from '../../../core/filters/filter.ts';
import { RecordName, RecordType } from '../../records/record.ts';
import { defineBuiltinTool } from './builtin-tool.ts';

export const recordSearchTool = defineBuiltinTool({
  id: 'record-search',
  name: 'Record search',
  description:
    'Finds records of a type, newest first: by name, by a part of the name, or by a filter on their metadata.',
  category: 'data',
  services: [],
  permission: 'RECORDS:READ',
  effects: false,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    type: RecordType.meta({ description: 'The type of the records, such as customer' }),
    name: RecordName.optional().meta({ description: 'The exact name' }),
    search: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .meta({ description: 'A part of the name, case-insensitively' }),
    where: RecordFilter.optional().meta({
      description: 'A condition on the metadata, such as {"field": "country", "op": "eq", "value": "NO"}',
    }),
    fields: z
      .array(z.string().min(1).max(255))
      .min(1)
      .max(50)
      .optional()
      .meta({ description: 'The metadata fields to return. Default: all' }),
    limit: z.int().min(1).max(50).optional().meta({ description: 'How many records to return. Default: 10' }),
  }),
  defaultConfig: { limit: 10 },
  documentationUrl: null,
});
