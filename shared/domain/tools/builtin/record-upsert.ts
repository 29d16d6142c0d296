import * as z from 'zod';
import { Metadata, RecordName, RecordType } from '../../records/record.ts';
import { defineBuiltinTool } from './builtin-tool.ts';

export const recordUpsertTool = defineBuiltinTool({
  id: 'record-upsert',
  name: 'Record upsert',
  description:
    'Creates a record, or changes the metadata of the record with that type and name: `merge` keeps the other fields, `replace` removes them.',
  category: 'data',
  services: [],
  permission: 'RECORDS:WRITE',
  effects: true,
  repeatable: false,
  takesSecrets: false,
  parameters: z.strictObject({
    type: RecordType,
    name: RecordName,
    metadata: Metadata.meta({ description: 'Up to 256 KB of JSON' }),
    strategy: z.enum(['merge', 'replace']).optional().meta({ description: 'Default: replace' }),
  }),
  defaultConfig: { strategy: 'replace' },
  documentationUrl: null,
});
