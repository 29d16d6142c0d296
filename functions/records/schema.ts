import * as z from 'zod';
import { RecordType } from '../../shared/domain/records/record.ts';
import { fieldsMax, inferredTypes, schemaDiscovery } from '../../shared/domain/records/schema-discovery.ts';
import { countedMax } from '../../shared/platform/data/lists/counts.ts';
import { wholeNumber } from '../../shared/platform/data/lists/query-values.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const sampleMax = 1_000;

export const discoverRecordSchema = defineEndpoint({
  id: 'records.schema',
  method: 'GET',
  path: '/v1/records/schema',
  permission: 'RECORDS:READ',
  summary: 'Discover the fields of a type',
  description:
    'Reads the newest records of the type and returns their metadata fields, most common first. Names are spelled as filters take ' +
    'them: a key, or a dotted path; a metadata key `name` as `metadata.name`. Each field has the types that filters recognize in its ' +
    'values, the number of records in the ' +
    `sample that have it, and a few example values. Lists up to ${fieldsMax} fields. \`totalRecords\` counts the records of the type, ${countedMax} at most (2 MB of index entries): if there may be more, \`countIsMinimum\` is true.`,
  query: z.object({
    type: RecordType,
    sample: wholeNumber(1, sampleMax).default(100).meta({ description: '1 to 1,000 records, default 100' }),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        type: z.string(),
        fields: z.array(
          z.object({
            name: z.string(),
            types: z.array(z.enum(inferredTypes)).meta({ description: 'Most frequent first' }),
            count: z.int(),
            examples: z.array(z.unknown()).meta({ description: 'Long texts are truncated' }),
          }),
        ),
        sampledRecords: z.int(),
        totalRecords: z.int(),
        countIsMinimum: z.boolean(),
        sampledAt: z.string(),
      }),
    },
  },
  errors: [400],
  needs: { discover: schemaDiscovery, now: clock },

  async handle({ query: { type, sample } }, { discover, now }) {
    const sampledAt = now().toISOString();
    return { type, ...(await discover(type, sample)), sampledAt };
  },
});

export const handler = toLambda(discoverRecordSchema);
