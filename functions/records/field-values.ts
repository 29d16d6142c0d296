import * as z from 'zod';
import { FieldPath } from '../../shared/core/filters/filter.ts';
import { RecordType } from '../../shared/domain/records/record.ts';
import { fieldValues } from '../../shared/domain/records/schema-discovery.ts';
import { wholeNumber } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const valuesMax = 500;

export const listFieldValues = defineEndpoint({
  id: 'records.field-values',
  method: 'GET',
  path: '/v1/records/field-values',
  permission: 'RECORDS:READ',
  summary: 'Count the values of a field',
  description:
    'Returns the distinct values of a field in the records of a type, most frequent first, with the number of records of each. ' +
    'Each element of a list counts; blank and null values are left out. Reads the newest 10,000 records, or as many as it can in 24 ' +
    'seconds. `truncated` is true if there are more values than returned, or more records than read.',
  query: z.object({
    type: RecordType,
    field: FieldPath,
    limit: wholeNumber(1, valuesMax).default(50).meta({ description: '1 to 500, default 50' }),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        type: z.string(),
        field: z.string(),
        values: z.array(z.object({ value: z.unknown(), count: z.int() })),
        truncated: z.boolean(),
      }),
    },
  },
  errors: [400],
  needs: { valuesOf: fieldValues },

  async handle({ query, timeLeftMs }, { valuesOf }) {
    const { type, field } = query;
    return { type, field, ...(await valuesOf(query, timeLeftMs)) };
  },
});

export const handler = toLambda(listFieldValues);
