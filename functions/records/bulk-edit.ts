import * as z from 'zod';
import type { DetailCode } from '../../shared/core/error-codes.ts';
import { idOf } from '../../shared/core/ids.ts';
import { bulkEditor } from '../../shared/domain/records/bulk-edit.ts';
import { recordsPerEdit } from '../../shared/domain/records/bulk-plan.ts';
import { BulkCondition, type BulkTargets } from '../../shared/domain/records/bulk-targets.ts';
import { NewMetadata } from '../../shared/domain/records/limits.ts';
import { Metadata } from '../../shared/domain/records/record.ts';
import { RecordSelection } from '../../shared/domain/records/record-filters.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

const keysMax = 1_000;
const tooManyKeys = `A call changes ${keysMax} keys at most, and removes as many`;

const targets = {
  recordIds: z
    .array(idOf('record'))
    .min(1)
    .max(recordsPerEdit, `A call edits ${recordsPerEdit} records at most`)
    .optional(),
  recordFilter: RecordSelection.optional(),
  applyToAll: z.boolean().default(false).meta({ description: 'All records that meet the `conditions`' }),
  conditions: z
    .array(BulkCondition)
    .max(50)
    .default([])
    .meta({ description: 'A record has to meet them all' }),
};

const Body = z
  .strictObject({
    ...targets,
    updates: NewMetadata.refine((updates) => Object.keys(updates).length <= keysMax, tooManyKeys)
      .default({})
      .meta({ description: `Keys of the metadata, ${keysMax} at most, with their new values` }),
    deleteFields: z
      .array(z.string())
      .max(keysMax, tooManyKeys)
      .default([])
      .meta({ description: 'Keys of the metadata' }),
    dryRun: z.boolean().default(false).meta({ description: 'Answers the same, and writes nothing' }),
  })
  .superRefine(({ recordIds, recordFilter, applyToAll, conditions, updates, deleteFields }, context) => {
    const refuse = (path: PropertyKey[], code: DetailCode, message: string) =>
      context.addIssue({ code: 'custom', path, params: { code }, message });
    const given = Object.entries({ recordIds, recordFilter, applyToAll }).flatMap(([name, value]) =>
      value ? name : [],
    );
    if (given.length === 0 && conditions.length === 0)
      refuse(['recordIds'], 'MISSING_REQUIRED_FIELD', 'Required: recordIds, recordFilter or applyToAll');
    if (given.length > 1)
      refuse([given[1] ?? ''], 'SEVERAL_TARGETS', `Send one of ${given.join(', ')}, not several`);
    if (applyToAll && conditions.length === 0)
      refuse(['conditions'], 'MISSING_REQUIRED_FIELD', 'Required: applyToAll takes at least one condition');
    if (!applyToAll && conditions.length > 0)
      refuse(['conditions'], 'INVALID_VALUE', 'Conditions belong to applyToAll: true');
    if (Object.keys(updates).length === 0 && deleteFields.length === 0)
      refuse(['updates'], 'MISSING_REQUIRED_FIELD', 'Required: updates or deleteFields');
    for (const [index, field] of deleteFields.entries()) {
      if (Object.hasOwn(updates, field))
        refuse(['deleteFields', index], 'INVALID_VALUE', `"${field}" is among the updates too`);
    }
  });

export const bulkEditRecords = defineEndpoint({
  id: 'records.bulk-edit',
  method: 'POST',
  path: '/v1/records/bulk-edit',
  permission: 'RECORDS:WRITE',
  summary: 'Edit many records',
  description:
    'Changes the metadata of the records that one of `recordIds`, `recordFilter` and `applyToAll` with `conditions` ' +
    'means: `updates` replaces keys of the metadata whole, `deleteFields` removes keys. Ids that no record has are ' +
    'left out. A call edits 10,000 records, and looks through 50,000; it changes 1,000 keys, and removes 1,000. Everything is checked before the first write: ' +
    'when the metadata of one record would grow over 256 KB, or all of it together over 64 MB, nothing is changed. ' +
    'A record that somebody else changes meanwhile is edited as they left it, or left alone where it is gone or no ' +
    'longer meant. `recordIds` names every record that now is as asked, also those that were so before; `data` shows the first ' +
    '1,000, or as many as fit 5 MB. A call that ends early (503, or a broken line) can be sent again: it does the ' +
    'rest, and what is done already is not written twice.',
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
  errors: [400, 413, 415, 503],
  needs: { edit: bulkEditor },

  handle({ body, timeLeftMs }, { edit }) {
    const change = { updates: body.updates, deleteFields: new Set(body.deleteFields) };
    return edit(targetsOf(body), change, { dryRun: body.dryRun, timeLeftMs });
  },
});

const targetsOf = ({ recordIds, recordFilter, conditions }: z.output<typeof Body>): BulkTargets =>
  recordIds ? { recordIds } : recordFilter ? { recordFilter } : { conditions };

export const handler = toLambda(bulkEditRecords);
