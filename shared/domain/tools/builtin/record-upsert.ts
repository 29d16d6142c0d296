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
    type: RecordType.meta({ description: 'The type of the record, such as customer' }),
    name: RecordName.meta({ description: 'The name of the record, which is unique in its type' }),
    metadata: Metadata.meta({ description: 'The values of the record: an object of up to 256 KB' }),
    strategy: z.enum(['merge', 'replace']).optional().meta({
      description:
        'merge: keep the other metadata of a record that exists. replace: replace all. Default: replace',
    }),
  }),
  defaultConfig: { strategy: 'replace' },
  documentationUrl: null,
});
