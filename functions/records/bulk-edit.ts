import * as z from 'zod';
import type { DetailCode } from '../../shared/core/errors/error-codes.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { bulkEditor, importAdvice, recordsPerEdit } from '../../shared/domain/records/bulk/bulk-edit.ts';
import { BulkCondition, type BulkTargets } from '../../shared/domain/records/bulk/bulk-targets.ts';
import { Metadata, NewMetadata } from '../../shared/domain/records/record.ts';
import { RecordSelection } from '../../shared/domain/records/record-filters.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const keysMax = 1_000;
const tooManyKeys = `Expected at most ${keysMax} keys`;

const targets = {
  recordIds: z
    .array(resourceId('record'))
    .min(1)
    .max(recordsPerEdit, `Expected at most ${recordsPerEdit} ids. ${importAdvice}`)
    .optional(),
  recordFilter: RecordSelection.optional(),
  applyToAll: z
    .boolean()
    .default(false)
    .meta({ description: 'Selects all records that match the `conditions`' }),
  conditions: z
    .array(BulkCondition)
    .max(50)
    .default([])
    .meta({ description: 'A record must match all of them' }),
};

const Body = z
  .strictObject({
    ...targets,
    updates: NewMetadata.refine((updates) => Object.keys(updates).length <= keysMax, tooManyKeys)
      .default({})
      .meta({ description: `New values by metadata key, at most ${keysMax}` }),
    deleteFields: z
      .array(z.string())
      .max(keysMax, tooManyKeys)
      .default([])
      .meta({ description: 'Metadata keys to remove' }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'Returns the same response without writing anything' }),
  })
  .superRefine(({ recordIds, recordFilter, applyToAll, conditions, updates, deleteFields }, context) => {
    const refuse = (path: PropertyKey[], code: DetailCode, message: string) =>
      context.addIssue({ code: 'custom', path, params: { code }, message });
    const selectors = Object.entries({ recordIds, recordFilter, applyToAll }).flatMap(([name, value]) =>
      value ? name : [],
    );
    if (selectors.length === 0 && conditions.length === 0)
      refuse(['recordIds'], 'MISSING_REQUIRED_FIELD', 'Required: recordIds, recordFilter or applyToAll');
    if (selectors.length > 1)
      refuse([selectors[1] ?? ''], 'SEVERAL_TARGETS', `Send only one of ${selectors.join(', ')}`);
    if (applyToAll && conditions.length === 0)
      refuse(['conditions'], 'MISSING_REQUIRED_FIELD', 'Required: applyToAll needs at least one condition');
    if (!applyToAll && conditions.length > 0)
      refuse(['conditions'], 'INVALID_VALUE', 'Conditions require applyToAll: true');
    if (Object.keys(updates).length === 0 && deleteFields.length === 0)
      refuse(['updates'], 'MISSING_REQUIRED_FIELD', 'Required: updates or deleteFields');
    for (const [index, field] of deleteFields.entries()) {
      if (Object.hasOwn(updates, field))
        refuse(
          ['deleteFields', index],
          'INVALID_VALUE',
          `"${field}" is also in updates. Remove it from one of them`,
        );
    }
  });

export const bulkEditRecords = defineEndpoint({
  id: 'records.bulk-edit',
  method: 'POST',
  path: '/v1/records/bulk-edit',
  permission: 'RECORDS:WRITE',
  summary: 'Edit many records',
  description: `Edits the metadata of the records that \`recordIds\`, \`recordFilter\`, or \`applyToAll\` with \`conditions\` selects. \`updates\` replaces the values of metadata keys, \`deleteFields\` removes keys. Unknown ids are ignored.

- A request edits up to 10,000 records, scans up to 50,000, and changes and removes up to 1,000 keys each.
- The service checks everything before the first write: if the metadata of one record would exceed 256 KB, or of all together 64 MB, nothing changes.
- If another request changes a record meanwhile, the edit applies to the new state; a record that is deleted or no longer matches is skipped.
- \`recordIds\` lists every record that now has the requested values, including those that had them before; \`data\` has the first 1,000, or as many as fit 5 MB.
- If a request ends early (503, or a lost connection), send it again: it edits the remaining records and does not repeat finished ones.`,
  body: Body,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        recordIds: z.array(z.string()),
        data: z.array(z.object({ id: z.string(), before: Metadata, after: Metadata })),
      }),
    },
  },
  errors: [400, 503],
  needs: { edit: bulkEditor },

  handle({ body, timeLeftMs }, { edit }) {
    const change = { updates: body.updates, deleteFields: new Set(body.deleteFields) };
    return edit(targetsOf(body), change, { dryRun: body.dryRun, timeLeftMs });
  },
});

const targetsOf = ({ recordIds, recordFilter, conditions }: z.output<typeof Body>): BulkTargets =>
  recordIds ? { recordIds } : recordFilter ? { recordFilter } : { conditions };

export const handler = toLambda(bulkEditRecords);
